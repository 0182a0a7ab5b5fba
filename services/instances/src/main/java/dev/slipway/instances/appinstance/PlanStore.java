package dev.slipway.instances.appinstance;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** The SQL that inserts and expires plans; a launch consumes them with its context. */
public final class PlanStore {
    private static final Duration LIFETIME = Duration.ofMinutes(10);
    /** Expired plans are stored for a day, so that a launch by one is refused with plan_expired. */
    private static final Duration RETENTION = Duration.ofDays(1);

    private static final String INSERT = """
            INSERT INTO app_instance_plans (id, project_id, request, outcome, created_at, expires_at)
            VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6)
            """;
    private static final String DELETE_EXPIRED = "DELETE FROM app_instance_plans WHERE expires_at < $1";

    /** The id of a stored plan, and when it expires. */
    record StoredPlan(UUID id, Instant expiresAt) {}

    StoredPlan insert(UnitOfWork unit, UUID projectId, LaunchPlan plan) {
        var stored = new StoredPlan(Ids.next(), unit.now().plus(LIFETIME));
        unit.insert(
                INSERT,
                Tuple.of(
                        stored.id,
                        projectId,
                        Json.text(plan.request()),
                        Json.text(plan.outcome()),
                        unit.now().atOffset(ZoneOffset.UTC),
                        stored.expiresAt.atOffset(ZoneOffset.UTC)));
        return stored;
    }

    public void deleteExpired(UnitOfWork unit) {
        unit.write(DELETE_EXPIRED, Tuple.of(unit.now().minus(RETENTION).atOffset(ZoneOffset.UTC)));
    }
}
