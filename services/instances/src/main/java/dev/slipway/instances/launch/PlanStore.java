package dev.slipway.instances.launch;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** A table of stored plans; each plan belongs to the project or organization that requested it. */
public record PlanStore(String name, String ownerColumn) {
    public static final PlanStore APP_INSTANCES = new PlanStore("app_instance_plans", "project_id");
    public static final PlanStore SHARED_RUNTIMES = new PlanStore("shared_runtime_plans", "org_id");

    private static final Duration LIFETIME = Duration.ofMinutes(10);
    /** Expired plans are stored for a day, so that a request by one is refused with plan_expired. */
    private static final Duration RETENTION = Duration.ofDays(1);

    /** The id of a stored plan, and when it expires. */
    public record StoredPlan(UUID id, Instant expiresAt) {}

    public StoredPlan insert(UnitOfWork unit, UUID ownerId, LaunchPlan plan) {
        var stored = new StoredPlan(Ids.next(), unit.now().plus(LIFETIME));
        unit.insert(
                """
                INSERT INTO %s (id, %s, request, outcome, created_at, expires_at)
                VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6)
                """.formatted(name, ownerColumn),
                Tuple.of(
                        stored.id,
                        ownerId,
                        Json.text(plan.request()),
                        Json.text(plan.outcome()),
                        unit.now().atOffset(ZoneOffset.UTC),
                        stored.expiresAt.atOffset(ZoneOffset.UTC)));
        return stored;
    }

    /** Deletes the plan that a request consumes, and returns it; if the request fails, the transaction keeps the plan. */
    public Future<@Nullable LaunchPlan> consume(UnitOfWork unit, UUID ownerId, @Nullable UUID planId) {
        if (planId == null) {
            return Future.succeededFuture();
        }
        var delete = """
                DELETE FROM %s WHERE id = $1 AND %s = $2
                RETURNING request::text AS request, outcome::text AS outcome, expires_at
                """.formatted(name, ownerColumn);
        return unit.query(delete, Tuple.of(planId, ownerId)).map(rows -> {
            if (rows.size() == 0) {
                throw Problem.of(
                                ErrorCode.PLAN_NOT_FOUND,
                                "There is no plan " + planId + " here, or it has been used already.")
                        .asException();
            }
            var row = rows.iterator().next();
            if (!row.getOffsetDateTime("expires_at").toInstant().isAfter(unit.now())) {
                throw Problem.of(ErrorCode.PLAN_EXPIRED, "The plan has expired. Create a new one.")
                        .asException();
            }
            return new LaunchPlan(
                    Json.parseStoredObject(row.getString("request")), Json.parseStoredObject(row.getString("outcome")));
        });
    }

    public void deleteExpired(UnitOfWork unit) {
        unit.write(
                "DELETE FROM %s WHERE expires_at < $1".formatted(name),
                Tuple.of(unit.now().minus(RETENTION).atOffset(ZoneOffset.UTC)));
    }
}
