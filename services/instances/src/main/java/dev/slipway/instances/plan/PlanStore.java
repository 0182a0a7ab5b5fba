package dev.slipway.instances.plan;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** All SQL of plans. */
public final class PlanStore {
    private static final Duration LIFETIME = Duration.ofMinutes(10);
    private static final String KEEP = """
            INSERT INTO app_instance_plans (id, project_id, request, outcome, created_at, expires_at)
            VALUES ($1, $2, $3::text::jsonb, $4::text::jsonb, $5, $6)
            """;
    private static final String TAKE = """
            DELETE FROM app_instance_plans WHERE id = $1 AND project_id = $2
            RETURNING request::text AS request, outcome::text AS outcome, expires_at
            """;
    /** Of all projects: for a day one is told that a plan has expired. */
    private static final String FORGET = "DELETE FROM app_instance_plans WHERE expires_at < $1";

    /** A plan that is kept until then. */
    public record Kept(UUID id, Instant expiresAt) {}

    public Kept keep(UnitOfWork unit, UUID projectId, Plan plan) {
        var kept = new Kept(Ids.next(), unit.now().plus(LIFETIME));
        unit.insert(
                KEEP,
                Tuple.of(
                        kept.id,
                        projectId,
                        Json.text(plan.request()),
                        Json.text(plan.outcome()),
                        unit.now().atOffset(ZoneOffset.UTC),
                        kept.expiresAt.atOffset(ZoneOffset.UTC)));
        return kept;
    }

    /** Takes a plan up: it is good for one launch. If that fails, the transaction leaves it where it was. */
    public Future<Plan> take(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(TAKE, Tuple.of(id, projectId)).map(rows -> {
            if (rows.size() == 0) {
                throw Problem.of(ErrorCode.PLAN_NOT_FOUND, "This project has no plan " + id + ", or it was used.")
                        .asException();
            }
            var row = rows.iterator().next();
            if (!row.getOffsetDateTime("expires_at").toInstant().isAfter(unit.now())) {
                throw Problem.of(ErrorCode.PLAN_EXPIRED, "The plan has expired: make a new one.")
                        .asException();
            }
            return new Plan(Json.trusted(row.getString("request")), Json.trusted(row.getString("outcome")));
        });
    }

    public void forgetExpired(UnitOfWork unit) {
        unit.write(FORGET, Tuple.of(unit.now().minus(Duration.ofDays(1)).atOffset(ZoneOffset.UTC)));
    }

    /** What was asked for, and what it would come to. */
    public record Plan(ObjectNode request, ObjectNode outcome) {}
}
