package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.messaging.ReceivedRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The actions that may be audited: the seeds, and the changes of the registry that have been replicated since. A change whose action is
 * missing or inactive fails.
 */
public final class AuditActionRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(AuditActionRegistry.class);

    /** Changes registry entries. It stays active, because otherwise no action could be activated again. */
    private static final String REGISTRY_ACTION = "registry.write";

    private final Map<String, RegisteredAction> actions = new ConcurrentHashMap<>();
    private final Set<String> platformActions;
    private final Set<String> metadataKeys = RegistrySeeds.auditMetadataKeys();

    private record RegisteredAction(
            int version,
            RegistryLifecycle lifecycle,
            String retentionClass,
            boolean privileged,
            Set<String> metadataKeys) {}

    public AuditActionRegistry() {
        RegistrySeeds.load().entries().stream()
                .filter(entry -> entry.kind() == RegistryKind.AUDIT_ACTION)
                .forEach(entry -> put(entry.id(), entry.version(), entry.lifecycle(), entry.body()));
        platformActions = Set.copyOf(actions.keySet());
    }

    /** Applies a record of the catalog's state topic; other records and malformed ones are ignored. */
    public void apply(ReceivedRecord record) {
        if (record.value().length == 0) {
            return;
        }
        try {
            var entry = RegistrySnapshot.ofKind(record.envelope(), RegistryKind.AUDIT_ACTION);
            if (entry != null) {
                put(entry.entryId(), entry.entryVersion(), entry.lifecycle(), entry.body());
            }
        } catch (MalformedEnvelopeException e) {
            // The owner of the read model reports it.
        }
    }

    /**
     * Adds the version, the retention class and the privileged flag of the action to an audit record, and removes metadata whose key is not on
     * the allowlist. Throws a problem if the action is not registered or not active. Denials and accesses with break-glass change nothing,
     * so they are recorded in any case.
     */
    public ObjectNode stamp(ObjectNode payload) {
        var action = payload.path("action").asText();
        removeOtherMetadata(action, payload);
        var registered = actions.get(action);
        if (registered != null && isActive(action, registered)) {
            return payload.put("action_version", registered.version)
                    .put("retention_class", registered.retentionClass)
                    .put("privileged", registered.privileged);
        }
        if (payload.path("result").asText().equals(AuditResult.DENIED.text())
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

    /** Returns the metadata keys that are neither on the common allowlist nor on that of the action. */
    public List<String> findOtherMetadata(String action, JsonNode metadata) {
        var registered = actions.get(action);
        return metadata.propertyStream()
                .map(Map.Entry::getKey)
                .filter(key ->
                        !metadataKeys.contains(key) && (registered == null || !registered.metadataKeys.contains(key)))
                .toList();
    }

    private void removeOtherMetadata(String action, ObjectNode payload) {
        if (payload.path("metadata") instanceof ObjectNode metadata) {
            var others = findOtherMetadata(action, metadata);
            if (!others.isEmpty()) {
                metadata.remove(others);
                LOG.atWarn()
                        .addKeyValue("action", action)
                        .addKeyValue("keys", others)
                        .log("audit metadata removed: its keys are not on the allowlist");
            }
        }
    }

    /** Returns whether only the platform itself may record the action: a product could otherwise forge its records. */
    public boolean isPlatformAction(String action) {
        return platformActions.contains(action);
    }

    private static boolean isActive(String action, RegisteredAction registered) {
        return registered.lifecycle.isUsable() || action.equals(REGISTRY_ACTION);
    }

    private void put(String id, int version, RegistryLifecycle lifecycle, ObjectNode body) {
        var entry = new RegisteredAction(
                version,
                lifecycle,
                body.path("retention_class").asText(),
                body.path("privileged").asBoolean(),
                body.path("metadata_keys").valueStream().map(JsonNode::asText).collect(Collectors.toUnmodifiableSet()));
        actions.merge(id, entry, (known, next) -> next.version >= known.version ? next : known);
    }
}
