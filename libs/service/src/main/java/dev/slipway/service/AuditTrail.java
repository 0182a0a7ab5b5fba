package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Writes audit records into the transaction of what they record. The actor is a snapshot: it stays readable when the user is gone. */
public final class AuditTrail {
    private AuditTrail() {}

    /** What was done, to what, and where. */
    public record Entry(
            String action,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            ObjectNode metadata) {}

    public static void success(UnitOfWork unit, Principal actor, Entry entry) {
        write(unit, actor(actor), entry, "success", null);
    }

    public static void denied(UnitOfWork unit, Principal actor, Entry entry, String reason) {
        write(unit, actor(actor), entry, "denied", reason);
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
        var actor = Json.object();
        actor.put("principal_id", id == null ? null : id.toString());
        actor.put("actor_type", actorType);
        actor.put("display_name", name);
        write(unit, actor, entry, result, reason);
    }

    private static void write(UnitOfWork unit, ObjectNode actor, Entry entry, String result, @Nullable String reason) {
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
        unit.announce(Topics.AUDIT_EVENTS, key(entry), "audit.recorded", payload);
    }

    /** By organization: one organization's trail has one order. */
    private static String key(Entry entry) {
        return entry.orgId == null ? "platform" : entry.orgId.toString();
    }

    private static ObjectNode actor(Principal principal) {
        var actor = Json.object();
        actor.put("principal_id", principal.id().toString());
        actor.put("actor_type", principal.type().text());
        actor.put("display_name", principal.displayName());
        actor.put("responsible_user_id", principal.responsibleUserId().toString());
        return actor;
    }
}
