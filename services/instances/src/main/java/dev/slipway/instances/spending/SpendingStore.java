package dev.slipway.instances.spending;

import dev.slipway.contract.Json;
import dev.slipway.instances.spending.domain.AccountLimit;
import dev.slipway.instances.spending.domain.BudgetLimit;
import dev.slipway.instances.spending.domain.BudgetReservation;
import dev.slipway.instances.spending.domain.CostEstimate;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.CostEstimate.UnitPrice;
import dev.slipway.instances.spending.domain.LimitPolicy;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.TextEnum;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The SQL of balances, budgets, prices and reservations, which limit launches. */
public final class SpendingStore {
    /** A statement of its own, because it must see the reservations that were committed before the lock was acquired. */
    private static final String FIND = """
            WITH limits AS (
                SELECT o.id, o.plan, a.state, a.at_zero, a.refuses_launches, b.amount, b.spent, b.period, b.at_limit, b.reservation_hours,
                    coalesce(a.currency, b.currency, $5) AS currency
                FROM organizations o
                LEFT JOIN billing_accounts a ON a.org_id = o.id
                LEFT JOIN billing_budgets b ON b.project_id = $2 AND b.org_id = o.id
                WHERE o.id = $1)
            SELECT k.currency, k.state, k.at_zero, k.refuses_launches, k.amount, k.spent, k.period, k.at_limit, k.reservation_hours,
                (SELECT coalesce(sum(r.amount - r.committed), 0) FROM budget_reservations r
                    JOIN app_instances i ON i.id = r.app_instance_id AND i.project_id = r.project_id
                    WHERE r.project_id = $2 AND r.expires_at > $4 AND i.status NOT IN ('failed', 'deleted')) AS reserved,
                (SELECT jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('unit', p.unit, 'price_id', p.id,
                        'version', p.version, 'highest_unit_price', p.highest::text) ORDER BY p.unit), '[]'))::text
                    FROM (SELECT DISTINCT ON (unit) unit, id, version,
                            (SELECT max((tier ->> 'unit_price')::numeric) FROM jsonb_array_elements(tiers) AS tier) AS highest
                        FROM billing_prices
                        WHERE unit = ANY ($3) AND currency = k.currency AND valid_from <= $4 AND (scope = 'default'
                            OR (scope = 'plan' AND subject = k.plan) OR (scope = 'organization' AND subject = k.id::text))
                        ORDER BY unit, array_position(ARRAY['default', 'plan', 'organization'], scope) DESC, valid_from DESC,
                            version DESC) p) AS prices
            FROM limits k
            """;

    private static final String INSERT_RESERVATION = """
            INSERT INTO budget_reservations (app_instance_id, project_id, per_hour, amount, committed, created_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;
    private static final String DELETE_EXPIRED_RESERVATIONS = "DELETE FROM budget_reservations WHERE expires_at <= $1";

    /**
     * A budget counts in its own month only: in the next one nothing is spent yet. A shared runtime belongs to the organization, so a budget ends
     * the attachments of its project instead; the deletion of a runtime ends all of them.
     */
    private static final String DUE_STOPS = """
            WITH spent AS (
                SELECT org_id, NULL::uuid AS project_id, 'balance_depleted' AS reason FROM billing_accounts WHERE stop_at <= $1
                UNION ALL
                SELECT org_id, project_id, 'budget_exceeded' FROM billing_budgets WHERE stop_at <= $1 AND period = $2)
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

    private static final String LIST_DUE_STOPS = DUE_STOPS + " ORDER BY id LIMIT $3";
    private static final String FIND_DUE_STOP = DUE_STOPS + """
            WHERE kind = $3 AND id = $4 AND org_id = $5 AND project_id IS NOT DISTINCT FROM $6 ORDER BY reason LIMIT 1
            """;

    private final String defaultCurrency;

    /** Takes the currency of organizations for which metering has published none. */
    public SpendingStore(String defaultCurrency) {
        this.defaultCurrency = defaultCurrency;
    }

    /**
     * Something that has to be stopped.
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

    private record PriceList(List<PriceRow> items) {}

    private record PriceRow(String unit, UUID priceId, int version, String highestUnitPrice) {
        UnitPrice toPrice() {
            return new UnitPrice(unit, priceId, version, new BigDecimal(highestUnitPrice));
        }
    }

    /** Loads the limits of an organization, and of a project unless it is null. The caller has locked the narrower of them. */
    public Future<Spending> load(UnitOfWork unit, UUID orgId, @Nullable UUID projectId, ExpectedUsage usage) {
        var now = unit.now();
        var parameters = Tuple.from(new @Nullable Object[] {
            orgId, projectId, usage.units().toArray(String[]::new), SqlTime.of(now), defaultCurrency
        });
        return unit.query(FIND, parameters)
                .map(rows -> rows.size() == 0
                        ? Spending.UNLIMITED
                        : toSpending(rows.iterator().next(), usage, now));
    }

    private static Spending toSpending(Row row, ExpectedUsage usage, Instant now) {
        var prices = Json.toRecord(Json.parseStoredObject(row.getString("prices")), PriceList.class).items.stream()
                .map(PriceRow::toPrice)
                .toList();
        var state = row.getString("state");
        var amount = row.getBigDecimal("amount");
        return new Spending(
                row.getString("currency"),
                state == null
                        ? null
                        : new AccountLimit(
                                state, LimitPolicy.of(row.getString("at_zero")), row.getBoolean("refuses_launches")),
                amount == null
                        ? null
                        : BudgetLimit.of(
                                amount,
                                row.getBigDecimal("spent"),
                                row.getLocalDate("period"),
                                row.getBigDecimal("reserved"),
                                LimitPolicy.of(row.getString("at_limit")),
                                row.getInteger("reservation_hours"),
                                now),
                CostEstimate.of(usage, prices));
    }

    /** Stores the reservation of a launch, in the transaction that holds the lock of the project. */
    public static void insert(UnitOfWork unit, UUID projectId, BudgetReservation reservation) {
        unit.insert(
                INSERT_RESERVATION,
                Tuple.of(
                        reservation.appInstanceId(),
                        projectId,
                        reservation.perHour(),
                        reservation.amount(),
                        reservation.committed(),
                        SqlTime.of(reservation.createdAt()),
                        SqlTime.of(reservation.expiresAt())));
    }

    public static void deleteExpired(UnitOfWork unit) {
        unit.write(DELETE_EXPIRED_RESERVATIONS, Tuple.of(SqlTime.of(unit.now())));
    }

    /** Returns instances, shared runtimes and attachments that have to be stopped now, because a balance or a budget is used up. */
    public Future<List<DueStop>> listDueStops(UnitOfWork unit, int limit) {
        var now = unit.now();
        return unit.query(LIST_DUE_STOPS, Tuple.of(SqlTime.of(now), BudgetLimit.currentPeriod(now), limit))
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
