package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.ReceivedRecord;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The actions that may be audited: the seeds, and the changes of the registry that have been replicated since. A change whose action is
 * missing or inactive fails.
 */
public final class AuditActionRegistry {
    private static final String KIND = "audit_action";
    private static final Set<String> ACTIVE_STATES = Set.of("active", "deprecated");

    /** Changes registry entries. It stays active, because otherwise no action could be activated again. */
    private static final String REGISTRY_ACTION = "registry.write";

    private final Map<String, RegisteredAction> actions = new ConcurrentHashMap<>();
    private final Set<String> platformActions;

    private record RegisteredAction(int version, String lifecycle, String retentionClass, boolean privileged) {}

    public AuditActionRegistry() {
        RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind().equals(KIND))
                .forEach(entry -> put(entry.id(), entry.version(), entry.lifecycle(), entry.body()));
        platformActions = Set.copyOf(actions.keySet());
    }

    /** Applies a record of the catalog's state topic; other records and malformed ones are ignored. */
    public void apply(ReceivedRecord record) {
        if (record.value().length == 0) {
            return;
        }
        try {
            var envelope = record.envelope();
            var payload = envelope.payload();
            if (envelope.eventType().equals("catalog.registry.snapshot")
                    && payload.path("kind").asText().equals(KIND)
                    && payload.path("body") instanceof ObjectNode body) {
                put(
                        payload.path("entry_id").asText(),
                        payload.path("entry_version").asInt(),
                        payload.path("lifecycle").asText(),
                        body);
            }
        } catch (MalformedEnvelopeException e) {
            // The owner of the read model reports it.
        }
    }

    /**
     * Adds the version, the retention class and the privileged flag of the action to an audit record. Throws a problem if the action is
     * not registered or not active. Denials and accesses with break-glass change nothing, so they are recorded in any case.
     */
    ObjectNode stamp(ObjectNode payload) {
        var action = payload.path("action").asText();
        var registered = actions.get(action);
        if (registered != null && isActive(action, registered)) {
            return payload.put("action_version", registered.version)
                    .put("retention_class", registered.retentionClass)
                    .put("privileged", registered.privileged);
        }
        if (payload.path("result").asText().equals("denied")
                || payload.at("/metadata/break_glass").asBoolean()) {
            return payload;
        }
        throw Problem.of(
                        ErrorCode.AUDIT_ACTION_INACTIVE,
                        "The action " + action
                                + " is not an active audit action, so nothing was changed. Register it as"
                                + " audit_action, or retry shortly if it was registered just now.")
                .asException();
    }

    /** Returns whether only the platform itself may record the action: a product could otherwise forge its records. */
    public boolean isPlatformAction(String action) {
        return platformActions.contains(action);
    }

    private static boolean isActive(String action, RegisteredAction registered) {
        return ACTIVE_STATES.contains(registered.lifecycle) || action.equals(REGISTRY_ACTION);
    }

    private void put(String id, int version, String lifecycle, ObjectNode body) {
        var entry = new RegisteredAction(
                version,
                lifecycle,
                body.path("retention_class").asText(),
                body.path("privileged").asBoolean());
        actions.merge(id, entry, (known, next) -> next.version >= known.version ? next : known);
    }
}
