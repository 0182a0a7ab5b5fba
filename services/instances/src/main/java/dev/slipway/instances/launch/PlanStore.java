package dev.slipway.instances.launch;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Inserts plans, and deletes expired ones; {@link LaunchContextStore#consumePlan} reads them. */
public final class PlanStore {
    private static final Duration LIFETIME = Duration.ofMinutes(10);
    /** Expired plans are stored for a day, so that a request by one is refused with plan_expired. */
    private static final Duration RETENTION = Duration.ofDays(1);

    private static final String INSERT = """
            INSERT INTO {plans} (id, {owner}, request, outcome, created_at, expires_at)
            VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6)
            """;
    private static final String DELETE_EXPIRED = "DELETE FROM {plans} WHERE expires_at < $1";

    private PlanStore() {}

    /** The id of a stored plan, and when it expires. */
    public record StoredPlan(UUID id, Instant expiresAt) {}

    public static StoredPlan insert(UnitOfWork unit, PlanTable table, UUID ownerId, LaunchPlan plan) {
        var stored = new StoredPlan(Ids.next(), unit.now().plus(LIFETIME));
        unit.insert(
                table.sql(INSERT),
                Tuple.of(
                        stored.id,
                        ownerId,
                        Json.text(plan.request()),
                        Json.text(plan.outcome()),
                        SqlTime.of(unit.now()),
                        SqlTime.of(stored.expiresAt)));
        return stored;
    }

    public static void deleteExpired(UnitOfWork unit, PlanTable table) {
        unit.write(table.sql(DELETE_EXPIRED), Tuple.of(SqlTime.of(unit.now().minus(RETENTION))));
    }
}
