package dev.slipway.instances.spending;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.spending.domain.BudgetLimit;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The SQL of what a used-up balance or budget stops, and of expired reservations. */
public final class SpendingStore {
    private static final String DELETE_EXPIRED_RESERVATIONS = "DELETE FROM budget_reservations WHERE expires_at <= $1";

    /**
     * Nothing is due while the copy of billing is older than $3, or older than the end of the grace period: the payment that prevents the stop may
     * be on its way. A budget counts in its own month only: in the next one nothing is spent yet. A shared runtime belongs to the organization, so a budget ends
     * the attachments of its project instead; the deletion of a runtime ends all of them.
     */
    private static final String DUE_STOPS = """
            WITH spent AS (
                SELECT org_id, NULL::uuid AS project_id, 'balance_depleted' AS reason
                FROM billing_accounts, billing_freshness f WHERE stop_at <= least($1, f.known_until) AND f.known_until >= $3
                UNION ALL
                SELECT org_id, project_id, 'budget_exceeded' FROM billing_budgets, billing_freshness f
                WHERE stop_at <= least($1, f.known_until) AND f.known_until >= $3 AND period = $2)
            SELECT kind, id, org_id, project_id, reason FROM (
                SELECT 'app_instance' AS kind, i.id, i.org_id, i.project_id, s.reason
                FROM spent s JOIN app_instances i ON i.org_id = s.org_id AND (s.project_id IS NULL OR i.project_id = s.project_id)
                WHERE i.status IN ('requested', 'deploying', 'running')
                UNION ALL
                SELECT 'shared_runtime', r.id, r.org_id, NULL::uuid, s.reason
                FROM spent s JOIN shared_runtimes r ON r.org_id = s.org_id
                WHERE s.project_id IS NULL AND r.status IN ('requested', 'deploying', 'running')
                UNION ALL
                SELECT 'attachment', t.shared_runtime_id, t.org_id, t.project_id, s.reason
                FROM spent s JOIN shared_runtime_attachments t ON t.org_id = s.org_id AND t.project_id = s.project_id
                WHERE t.status <> 'detached') due
            """;

    private static final String LIST_DUE_STOPS = DUE_STOPS + " ORDER BY id LIMIT $4";
    private static final String FIND_DUE_STOP = DUE_STOPS + """
            WHERE kind = $4 AND id = $5 AND org_id = $6 AND project_id IS NOT DISTINCT FROM $7 ORDER BY reason LIMIT 1
            """;

    /** The age is null if no heartbeat has arrived yet. */
    private static final String FIND_BILLING_AGE = """
            SELECT extract(epoch FROM $1 - known_until)::float8 AS age_s,
                EXISTS (SELECT FROM billing_prices) OR EXISTS (SELECT FROM billing_accounts) OR EXISTS (SELECT FROM billing_budgets) AS billed
            FROM billing_freshness
            """;

    private final Duration maxBillingAge;
    private final BillingAge age;

    /** {@code maxBillingAge} is the maximum age of the copy of billing by which anything is stopped. */
    public SpendingStore(Duration maxBillingAge, BillingAge age) {
        this.maxBillingAge = maxBillingAge;
        this.age = age;
    }

    /**
     * A resource that has to be stopped.
     *
     * @param id of the app instance or the shared runtime; an attachment is identified by its runtime and its project
     * @param projectId null for a shared runtime
     * @param reason the code of the limit
     */
    public record DueStop(
            Kind kind, UUID id, UUID orgId, @Nullable UUID projectId, String reason) {
        /** The kinds of resources that are stopped. */
        public enum Kind implements TextEnum {
            APP_INSTANCE,
            SHARED_RUNTIME,
            ATTACHMENT
        }
    }

    public static void deleteExpired(UnitOfWork unit) {
        unit.write(DELETE_EXPIRED_RESERVATIONS, Tuple.of(SqlTime.of(unit.now())));
    }

    /** Records the age of the copy of billing in the metrics. */
    public Future<Void> recordBillingAge(UnitOfWork unit) {
        return unit.query(FIND_BILLING_AGE, Tuple.of(SqlTime.of(unit.now()))).map(rows -> {
            var row = rows.iterator().next();
            if (!row.getBoolean("billed")) {
                age.record(0);
            } else if (row.getDouble("age_s") != null) {
                age.record(row.getDouble("age_s"));
            }
            return null;
        });
    }

    /** Returns instances, shared runtimes and attachments that have to be stopped now, because a balance or a budget is used up. */
    public Future<List<DueStop>> listDueStops(UnitOfWork unit, int limit) {
        var now = unit.now();
        return unit.query(
                        LIST_DUE_STOPS,
                        Tuple.of(
                                SqlTime.of(now),
                                BudgetLimit.currentPeriod(now),
                                SqlTime.of(now.minus(maxBillingAge)),
                                limit))
                .map(rows -> {
                    var due = new ArrayList<DueStop>(rows.size());
                    rows.forEach(row -> due.add(toDueStop(row)));
                    return due;
                });
    }

    /** Returns why something has to be stopped now; null if it has not. The caller has locked the instance or the shared runtime. */
    public Future<@Nullable DueStop> findDueStop(UnitOfWork unit, DueStop listed) {
        var now = unit.now();
        var parameters = Tuple.from(new @Nullable Object[] {
            SqlTime.of(now),
            BudgetLimit.currentPeriod(now),
            SqlTime.of(now.minus(maxBillingAge)),
            listed.kind().text(),
            listed.id(),
            listed.orgId(),
            listed.projectId()
        });
        return unit.query(FIND_DUE_STOP, parameters)
                .map(rows -> rows.size() == 0 ? null : toDueStop(rows.iterator().next()));
    }

    private static DueStop toDueStop(Row row) {
        return new DueStop(
                TextEnum.parse(DueStop.Kind.class, row.getString("kind")),
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("reason"));
    }
}
