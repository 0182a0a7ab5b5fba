package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.MerkleTree;
import dev.slipway.audit.log.domain.PersonalValue;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The content of a leaf. The leaf is its canonical JSON.
 *
 * @param log {@code platform} or the id of the organization
 * @param sequence the index of the leaf
 * @param actionVersion the version of the action in the registry; null if the action is not registered
 * @param personal JSON pointers to the fields whose value is a salted hash
 */
record EntryContent(
        int format,
        String log,
        long sequence,
        UUID id,
        Instant occurredAt,
        Instant recordedAt,
        String correlationId,
        @Nullable String traceId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        JsonNode actor,
        String action,
        @Nullable Integer actionVersion,
        String retentionClass,
        boolean privileged,
        String targetType,
        String targetId,
        String result,
        @Nullable String reason,
        @Nullable JsonNode source,
        JsonNode metadata,
        List<String> personal) {
    private static final int FORMAT = 1;
    private static final String DEFAULT_RETENTION_CLASS = "security";

    /** Names of fields that can identify a person, at any depth of the actor, the source and the metadata. */
    private static final Set<String> PERSONAL_FIELDS =
            Set.of("display_name", "email", "subject", "source_address", "user_agent");

    /** An audit record that is not in a log yet. */
    record AuditRecord(
            LogId logId, Envelope envelope, @Nullable String traceId) {}

    /** The content of a leaf and the clear values of its personal fields, by JSON pointer. */
    record NewEntry(ObjectNode content, Map<String, PersonalValue> personalValues) {
        Hash leafHash() {
            return EntryContent.leafHash(content);
        }
    }

    /** The payload of {@code audit.recorded}. */
    private record RecordedPayload(
            ObjectNode actor,
            String action,
            @Nullable Integer actionVersion,
            @Nullable String retentionClass,
            @Nullable Boolean privileged,
            String targetType,
            String targetId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String result,
            @Nullable String reason,
            @Nullable ObjectNode source,
            ObjectNode metadata) {}

    /** Returns the entry at a position, with salted hashes in place of personal values. */
    static NewEntry create(AuditRecord audited, long sequence, Instant recordedAt, Supplier<String> salt) {
        var envelope = audited.envelope;
        var payload = Json.toRecord(envelope.payload(), RecordedPayload.class);
        var content = Json.toObject(new EntryContent(
                FORMAT,
                audited.logId.name(),
                sequence,
                envelope.eventId(),
                envelope.occurredAt(),
                recordedAt,
                envelope.correlationId(),
                audited.traceId,
                payload.orgId,
                payload.projectId,
                payload.actor,
                payload.action,
                payload.actionVersion,
                payload.retentionClass == null ? DEFAULT_RETENTION_CLASS : payload.retentionClass,
                Boolean.TRUE.equals(payload.privileged),
                payload.targetType,
                payload.targetId,
                payload.result,
                payload.reason,
                payload.source,
                payload.metadata,
                List.of()));
        var values = new TreeMap<String, PersonalValue>();
        for (var part : List.of("actor", "source", "metadata")) {
            hashPersonalFields(content.path(part), "/" + part, salt, values);
        }
        var pointers = content.putArray("personal");
        values.keySet().forEach(pointers::add);
        return new NewEntry(content, values);
    }

    static Hash leafHash(ObjectNode content) {
        return MerkleTree.leafHash(CanonicalJson.bytes(content));
    }

    /** Returns a copy with the clear values that are still stored; a redacted value is null. */
    static ObjectNode reveal(ObjectNode content, Map<String, PersonalValue> values) {
        var revealed = content.deepCopy();
        for (var pointer : content.path("personal")) {
            var split = pointer.asText().lastIndexOf('/');
            var parent = (ObjectNode) revealed.at(pointer.asText().substring(0, split));
            var value = values.get(pointer.asText());
            parent.put(unescape(pointer.asText().substring(split + 1)), value == null ? null : value.value());
        }
        return revealed;
    }

    private static void hashPersonalFields(
            JsonNode node, String pointer, Supplier<String> salt, Map<String, PersonalValue> values) {
        if (node instanceof ObjectNode object) {
            for (var field : List.copyOf(object.properties())) {
                var at = pointer + "/" + escape(field.getKey());
                if (PERSONAL_FIELDS.contains(field.getKey()) && field.getValue().isTextual()) {
                    var value = new PersonalValue(salt.get(), field.getValue().textValue());
                    values.put(at, value);
                    object.put(field.getKey(), value.hash());
                } else {
                    hashPersonalFields(field.getValue(), at, salt, values);
                }
            }
        } else {
            for (var i = 0; i < node.size(); i++) {
                hashPersonalFields(node.get(i), pointer + "/" + i, salt, values);
            }
        }
    }

    private static String escape(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private static String unescape(String name) {
        return name.replace("~1", "/").replace("~0", "~");
    }
}
