package dev.slipway.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.Principal;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.UUID;

/** Writes audit records into the transaction of the change they record. The actor is a snapshot, readable after the user is deleted. */
public final class AuditTrail {
    private static final Logger LOG = LoggerFactory.getLogger(AuditTrail.class);

    /** The type of the event that records an action. */
    static final String EVENT_TYPE = "audit.recorded";

    private AuditTrail() {}

    /** The action, its target, and the organization and project it belongs to. */
    public record AuditEntry(
            String action,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            ObjectNode metadata) {

        /** Returns an entry whose target is the project, or without one the organization, or without one the platform. */
        public static AuditEntry ofScope(
                String action, @Nullable UUID orgId, @Nullable UUID projectId, ObjectNode metadata) {
            var type = projectId != null ? "project" : orgId != null ? "organization" : "platform";
            var id = projectId != null ? projectId : orgId;
            return new AuditEntry(action, type, id == null ? "-" : id.toString(), orgId, projectId, metadata);
        }
    }

    /** The payload of {@code audit.recorded}. */
    private record AuditPayload(
            ObjectNode actor,
            String action,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            AuditResult result,
            @Nullable String reason,
            ObjectNode metadata,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            ObjectNode source) {}

    /** The payload of {@code audit.break_glass.used}. */
    private record BreakGlassPayload(
            ObjectNode actor,
            String operationId,
            String action,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String reason) {}

    public static void recordSuccess(UnitOfWork unit, Principal actor, AuditEntry entry) {
        publish(unit, snapshot(unit, actor), entry, AuditResult.SUCCESS, null);
    }

    /** Records a success under an id that was chosen before, so that the change itself can refer to its audit entry. */
    public static void recordSuccess(UnitOfWork unit, UUID entryId, Principal actor, AuditEntry entry) {
        var payload = payload(
                snapshot(unit, actor),
                entry,
                AuditResult.SUCCESS,
                null,
                unit.context().source());
        unit.publish(entryId, Topics.AUDIT_EVENTS, key(entry), EVENT_TYPE, payload);
    }

    /** Records the denial in a new transaction. If that fails, the denial stands: the failure is only logged. */
    static Future<Void> recordDenial(Outbox outbox, ChangeContext changeContext, DenialException denial) {
        return outbox.<Void>transaction(changeContext, unit -> {
                    var reason = denial.problem().code().code();
                    publish(unit, snapshot(unit, denial.principal()), denial.entry(), AuditResult.DENIED, reason);
                    return Future.succeededFuture();
                })
                .recover(e -> {
                    LOG.atWarn()
                            .addKeyValue("action", denial.entry().action)
                            .setCause(e)
                            .log("cannot record a denial in the audit trail");
                    return Future.succeededFuture();
                });
    }

    /** Returns a denial if the failure is an attempt to grant more than the caller holds, else the failure. */
    public static Throwable denyExcessiveGrant(Request request, String action, Throwable failure) {
        if (!(failure instanceof ProblemException expected)
                || expected.problem().code() != ErrorCode.GRANT_EXCEEDS_OWN) {
            return failure;
        }
        var metadata = Json.object().put("message", expected.problem().message());
        var entry = AuditEntry.ofScope(action, request.orgId(), request.projectIdOrNull(), metadata);
        return new DenialException(request.principal(), entry, expected.problem());
    }

    /** Records access to a tenant through an admin variant, with the reason, and publishes an event about it. */
    static void recordBreakGlass(
            UnitOfWork unit, Principal principal, AuditEntry entry, String operationId, String reason) {
        var actor = actor(principal);
        publish(unit, snapshot(unit, principal), entry, AuditResult.SUCCESS, reason);
        var payload = Json.toObject(new BreakGlassPayload(
                actor,
                operationId,
                entry.action,
                entry.targetType,
                entry.targetId,
                entry.orgId,
                entry.projectId,
                reason));
        unit.publish(Topics.AUDIT_EVENTS, key(entry), "audit.break_glass.used", payload);
    }

    /** Records an action of the platform itself, or of an actor that is not a principal. */
    public static void recordSystemAction(
            UnitOfWork unit,
            String actorType,
            String name,
            @Nullable UUID id,
            AuditEntry entry,
            AuditResult result,
            @Nullable String reason) {
        publish(unit, actor(actorType, name, id), entry, result, reason);
    }

    /** Records an action that the caller performed itself, outside the platform. Returns the id of the record. */
    public static UUID recordReportedAction(
            UnitOfWork unit, Principal actor, AuditEntry entry, AuditResult result, @Nullable String reason) {
        return publish(unit, snapshot(unit, actor), entry, result, reason);
    }

    /** Returns the payload of {@code audit.recorded}, for a caller that has no transaction. */
    public static ObjectNode payload(ObjectNode actor, AuditEntry entry, AuditResult result, @Nullable String reason) {
        return payload(actor, entry, result, reason, null);
    }

    private static ObjectNode payload(
            ObjectNode actor,
            AuditEntry entry,
            AuditResult result,
            @Nullable String reason,
            @Nullable ObjectNode source) {
        return Json.toObject(new AuditPayload(
                actor,
                entry.action,
                entry.targetType,
                entry.targetId,
                entry.orgId,
                entry.projectId,
                result,
                reason,
                entry.metadata,
                source));
    }

    /** Returns the actor with the role that allowed the change, as they are now: both can change later. */
    private static ObjectNode snapshot(UnitOfWork unit, Principal principal) {
        return actor(principal).put("role_path", unit.context().rolePath());
    }

    public static ObjectNode actor(Principal principal) {
        return actor(principal.type().text(), principal.displayName(), principal.id())
                .put("responsible_user_id", principal.responsibleUserId().toString());
    }

    /** Returns an actor that is not a principal. */
    public static ObjectNode actor(String type, String name, @Nullable UUID id) {
        return Json.object()
                .put("principal_id", id == null ? null : id.toString())
                .put("actor_type", type)
                .put("display_name", name);
    }

    @CanIgnoreReturnValue
    private static UUID publish(
            UnitOfWork unit, ObjectNode actor, AuditEntry entry, AuditResult result, @Nullable String reason) {
        var payload = payload(actor, entry, result, reason, unit.context().source());
        return unit.publish(Topics.AUDIT_EVENTS, key(entry), EVENT_TYPE, payload);
    }

    /** The organization, so that the records of one organization are in order. */
    private static String key(AuditEntry entry) {
        return entry.orgId == null ? "platform" : entry.orgId.toString();
    }
}
