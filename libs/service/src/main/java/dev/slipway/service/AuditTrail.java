package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.UUID;

/** Writes audit records into the transaction of what they record. The actor is a snapshot: it stays readable when the user is gone. */
public final class AuditTrail {
    private static final Logger LOG = LoggerFactory.getLogger(AuditTrail.class);

    private AuditTrail() {}

    /** What was done, to what, and where. */
    public record Entry(
            String action,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            ObjectNode metadata) {

        /** About a place itself: the project, else the organization, else the platform. */
        public static Entry ofPlace(
                String action, @Nullable UUID orgId, @Nullable UUID projectId, ObjectNode metadata) {
            var type = projectId != null ? "project" : orgId != null ? "organization" : "platform";
            var id = projectId != null ? projectId : orgId;
            return new Entry(action, type, id == null ? "-" : id.toString(), orgId, projectId, metadata);
        }
    }

    public static void success(UnitOfWork unit, Principal actor, Entry entry) {
        write(unit, actor(actor), entry, "success", null);
    }

    /**
     * Refuses, and puts that on record in a transaction of its own: what was refused left none. That record failing does not turn the
     * refusal into anything else.
     */
    public static <T> Future<T> refuse(Outbox outbox, Cause cause, Principal actor, Entry entry, Problem problem) {
        return outbox.<Void>transaction(cause, unit -> {
                    write(unit, actor(actor), entry, "denied", problem.code().code());
                    return Future.succeededFuture();
                })
                .transform(done -> {
                    if (done.failed()) {
                        LOG.atWarn().setCause(done.cause()).log("a refusal could not be audited");
                    }
                    return Future.failedFuture(problem.asException());
                });
    }

    /** Who tries to give more than they hold is on record, like anyone whom the dispatcher refuses; other failures pass. */
    public static <T> Future<T> refuseExcess(Outbox outbox, Request request, String action, Throwable failure) {
        if (!(failure instanceof ProblemException expected)
                || expected.problem().code() != ErrorCode.GRANT_EXCEEDS_OWN) {
            return Future.failedFuture(failure);
        }
        var metadata = Json.object().put("message", expected.problem().message());
        var entry = Entry.ofPlace(action, request.orgId(), request.projectIdOrNull(), metadata);
        return refuse(outbox, request.cause(), request.principal(), entry, expected.problem());
    }

    /** Somebody reaches into a tenant through an admin twin: on the tenant's record with the reason, and announced by itself. */
    static void breakGlass(UnitOfWork unit, Principal principal, Entry entry, String operationId, String reason) {
        write(unit, actor(principal), entry, "success", reason);
        var payload = Json.object();
        payload.set("actor", actor(principal));
        payload.put("operation_id", operationId);
        payload.put("action", entry.action);
        payload.put("target_type", entry.targetType);
        payload.put("target_id", entry.targetId);
        payload.put("org_id", entry.orgId == null ? null : entry.orgId.toString());
        payload.put("project_id", entry.projectId == null ? null : entry.projectId.toString());
        payload.put("reason", reason);
        unit.announce(Topics.AUDIT_EVENTS, key(entry), "audit.break_glass.used", payload);
    }

    /** What the platform does of itself, or what an adapter does that has no principal of ours. */
    public static void byOther(
            UnitOfWork unit,
            String actorType,
            String name,
            @Nullable UUID id,
            Entry entry,
            String result,
            @Nullable String reason) {
        write(unit, actor(actorType, name, id), entry, result, reason);
    }

    /** The payload of audit.recorded, for the one who has no transaction to write it in. */
    public static ObjectNode payload(ObjectNode actor, Entry entry, String result, @Nullable String reason) {
        var payload = Json.object();
        payload.set("actor", actor);
        payload.put("action", entry.action);
        payload.put("target_type", entry.targetType);
        payload.put("target_id", entry.targetId);
        payload.put("org_id", entry.orgId == null ? null : entry.orgId.toString());
        payload.put("project_id", entry.projectId == null ? null : entry.projectId.toString());
        payload.put("result", result);
        payload.put("reason", reason);
        payload.set("metadata", entry.metadata);
        return payload;
    }

    public static ObjectNode actor(Principal principal) {
        return actor(principal.type().text(), principal.displayName(), principal.id())
                .put("responsible_user_id", principal.responsibleUserId().toString());
    }

    /** One that is no principal of ours. */
    public static ObjectNode actor(String type, String name, @Nullable UUID id) {
        return Json.object()
                .put("principal_id", id == null ? null : id.toString())
                .put("actor_type", type)
                .put("display_name", name);
    }

    private static void write(UnitOfWork unit, ObjectNode actor, Entry entry, String result, @Nullable String reason) {
        unit.announce(Topics.AUDIT_EVENTS, key(entry), "audit.recorded", payload(actor, entry, result, reason));
    }

    /** By organization: one organization's trail has one order. */
    private static String key(Entry entry) {
        return entry.orgId == null ? "platform" : entry.orgId.toString();
    }
}
