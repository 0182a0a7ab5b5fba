package dev.slipway.instances.spending;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.instances.spending.domain.BalanceState;
import dev.slipway.instances.spending.domain.BudgetReservation;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Maintains the read model of billing from its snapshots. An older snapshot than the stored one changes nothing. */
public final class BillingStateStore {
    private static final String ACCOUNT = """
            INSERT INTO billing_accounts (org_id, currency, state, at_zero, refuses_launches, stop_at, revision)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (org_id) DO UPDATE SET currency = $2, state = $3, at_zero = $4, refuses_launches = $5, stop_at = $6, revision = $7
                WHERE billing_accounts.revision < $7
            """;
    private static final String LOCK_BUDGET =
            "SELECT spent, period, revision FROM billing_budgets WHERE project_id = $1 FOR UPDATE";
    private static final String BUDGET = """
            INSERT INTO billing_budgets (project_id, org_id, currency, amount, spent, period, at_limit, reservation_hours, stop_at, revision)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (project_id) DO UPDATE SET org_id = $2, currency = $3, amount = $4, spent = $5, period = $6, at_limit = $7,
                reservation_hours = $8, stop_at = $9, revision = $10
                WHERE billing_budgets.revision < $10
            """;
    private static final String PRICE = """
            INSERT INTO billing_prices (id, unit, scope, subject, version, currency, tiers, valid_from)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8) ON CONFLICT DO NOTHING
            """;
    private static final String LIST_RESERVATIONS = """
            SELECT r.app_instance_id, r.per_hour, r.amount, r.committed, r.created_at, r.expires_at,
                CASE WHEN i.status = 'failed' THEN i.updated_at ELSE i.deleted_at END AS ended_at
            FROM budget_reservations r JOIN app_instances i ON i.id = r.app_instance_id AND i.project_id = r.project_id
            WHERE r.project_id = $1 AND r.expires_at > $2 AND r.committed < r.amount
            ORDER BY r.created_at, r.app_instance_id FOR NO KEY UPDATE OF r
            """;
    private static final String COMMIT_RESERVATIONS = """
            UPDATE budget_reservations r SET committed = c.committed::numeric
            FROM unnest($2::uuid[], $3::text[]) AS c (app_instance_id, committed)
            WHERE r.app_instance_id = c.app_instance_id AND r.project_id = $1
            """;

    private static final String FRESHNESS = "UPDATE billing_freshness SET known_until = greatest(known_until, $1)";

    private record Heartbeat(Instant committedAt) {}

    private record AccountSnapshot(
            UUID orgId,
            String currency,
            BalanceState state,
            String atZero,
            boolean refusesLaunches,
            @Nullable Instant stopAt,
            long revision) {}

    private record BudgetSnapshot(
            UUID orgId,
            UUID projectId,
            String currency,
            BigDecimal amount,
            BigDecimal spent,
            @Nullable String period,
            String atLimit,
            int reservationHours,
            @Nullable Instant stopAt,
            Instant asOf,
            long revision) {
        @Nullable
        LocalDate month() {
            return period == null ? null : LocalDate.parse(period);
        }

        /** Returns the spending since the stored state of the budget; all of it if the month has changed. */
        BigDecimal spentSince(Row stored) {
            return month() != null && month().equals(stored.getLocalDate("period"))
                    ? spent.subtract(stored.getBigDecimal("spent"))
                    : spent;
        }
    }

    private record PriceSnapshot(
            UUID priceId,
            String unit,
            String scope,
            String subject,
            int version,
            String currency,
            JsonNode tiers,
            Instant validFrom) {}

    public Future<Void> apply(UnitOfWork unit, Envelope event) {
        var payload = event.payload();
        return switch (event.eventType()) {
            case "billing.account.snapshot" -> applyAccount(unit, Json.toRecord(payload, AccountSnapshot.class));
            case "billing.budget.snapshot" -> applyBudget(unit, Json.toRecord(payload, BudgetSnapshot.class));
            case "billing.price.snapshot" -> applyPrice(unit, Json.toRecord(payload, PriceSnapshot.class));
            case "billing.heartbeat" -> applyHeartbeat(unit, Json.toRecord(payload, Heartbeat.class));
            default -> Future.succeededFuture();
        };
    }

    private static Future<Void> applyHeartbeat(UnitOfWork unit, Heartbeat heartbeat) {
        unit.write(FRESHNESS, Tuple.of(SqlTime.of(heartbeat.committedAt)));
        return Future.succeededFuture();
    }

    private static Future<Void> applyAccount(UnitOfWork unit, AccountSnapshot s) {
        unit.write(ACCOUNT, Tuple.from(new @Nullable Object[] {
            s.orgId, s.currency, s.state.text(), s.atZero, s.refusesLaunches, SqlTime.ofNullable(s.stopAt), s.revision
        }));
        return Future.succeededFuture();
    }

    private static Future<Void> applyPrice(UnitOfWork unit, PriceSnapshot s) {
        unit.write(PRICE, Tuple.from(new Object[] {
            s.priceId, s.unit, s.scope, s.subject, s.version, s.currency, s.tiers.toString(), SqlTime.of(s.validFrom)
        }));
        return Future.succeededFuture();
    }

    /** Spending that a snapshot adds is committed to the reservations in the same transaction: a launch sees both or neither. */
    private static Future<Void> applyBudget(UnitOfWork unit, BudgetSnapshot s) {
        return unit.query(LOCK_BUDGET, Tuple.of(s.projectId)).compose(rows -> {
            var stored = rows.size() == 0 ? null : rows.iterator().next();
            if (stored != null && stored.getLong("revision") >= s.revision) {
                return Future.succeededFuture();
            }
            unit.write(BUDGET, Tuple.from(new @Nullable Object[] {
                s.projectId,
                s.orgId,
                s.currency,
                s.amount,
                s.spent,
                s.month(),
                s.atLimit,
                s.reservationHours,
                SqlTime.ofNullable(s.stopAt),
                s.revision
            }));
            var spent = stored == null ? BigDecimal.ZERO : s.spentSince(stored);
            return spent.signum() > 0 ? commit(unit, s, spent) : Future.succeededFuture();
        });
    }

    private static Future<Void> commit(UnitOfWork unit, BudgetSnapshot s, BigDecimal spent) {
        return unit.query(LIST_RESERVATIONS, Tuple.of(s.projectId, SqlTime.of(unit.now())))
                .map(rows -> {
                    var open = new ArrayList<BudgetReservation>(rows.size());
                    rows.forEach(row -> open.add(reservation(row)));
                    var changed = BudgetReservation.commit(open, spent, s.asOf);
                    if (!changed.isEmpty()) {
                        write(unit, s.projectId, changed);
                    }
                    return null;
                });
    }

    private static void write(UnitOfWork unit, UUID projectId, List<BudgetReservation> changed) {
        unit.write(
                COMMIT_RESERVATIONS,
                Tuple.of(
                        projectId,
                        changed.stream().map(BudgetReservation::appInstanceId).toArray(UUID[]::new),
                        changed.stream()
                                .map(reservation -> reservation.committed().toPlainString())
                                .toArray(String[]::new)));
    }

    private static BudgetReservation reservation(Row row) {
        return new BudgetReservation(
                row.getUUID("app_instance_id"),
                row.getBigDecimal("per_hour"),
                row.getBigDecimal("amount"),
                row.getBigDecimal("committed"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "expires_at"),
                SqlTime.readNullable(row, "ended_at"));
    }
}
