package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.log.AuditEntryStore.StoredEntry;
import dev.slipway.audit.log.CheckpointStore.StoredCheckpoint;
import dev.slipway.audit.log.TreeReader.StoredTile;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.NoteKey;
import dev.slipway.audit.log.domain.PersonalValue;
import dev.slipway.contract.Json;
import dev.slipway.service.AuditResult;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The bodies of the audit log's API and the lines of an export. */
final class AuditLogJson {
    private AuditLogJson() {}

    record EntryResponse(
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
            boolean redacted,
            String leafHash) {
        static EntryResponse of(StoredEntry entry) {
            var stored = Objects.requireNonNull(entry.content(), "the entry has expired");
            var revealed = EntryContent.reveal(stored, entry.personalValues());
            var content = Json.toRecord(revealed, EntryContent.class);
            return new EntryResponse(
                    content.sequence(),
                    content.id(),
                    content.occurredAt(),
                    content.recordedAt(),
                    content.correlationId(),
                    content.traceId(),
                    content.orgId(),
                    content.projectId(),
                    content.actor(),
                    content.action(),
                    content.actionVersion(),
                    content.retentionClass(),
                    content.privileged(),
                    content.targetType(),
                    content.targetId(),
                    content.result(),
                    content.reason(),
                    content.source() == null || content.source().isNull() ? null : content.source(),
                    content.metadata(),
                    entry.personalValues().size() < content.personal().size(),
                    entry.leafHash().hex());
        }
    }

    record CheckpointResponse(
            String origin, long treeSize, String rootHash, String note, Instant signedAt, List<String> keys) {}

    record InclusionProof(long sequence, long treeSize, String leafHash, String rootHash, List<String> hashes) {}

    record ConsistencyProof(long fromSize, String fromRootHash, long treeSize, String rootHash, List<String> hashes) {}

    record EntryBody(
            String action,
            String targetType,
            String targetId,
            AuditResult result,
            @Nullable String reason,
            @Nullable ObjectNode metadata) {}

    record ReceiptResponse(UUID id) {}

    record RedactionBody(List<UUID> entryIds, String reason) {}

    record RedactionResponse(List<Long> sequences) {}

    record RedactionMetadata(List<Long> sequences, String reason) {}

    /** The first line of a page of an export. */
    record LogLine(String type, String log, String origin, long fromSequence, List<String> keys) {
        static LogLine of(String log, String origin, long fromSequence, List<NoteKey> keys) {
            return new LogLine(
                    "log",
                    log,
                    origin,
                    fromSequence,
                    keys.stream().map(NoteKey::encode).toList());
        }
    }

    /**
     * An entry of an export.
     *
     * @param recordedAt null if its retention has ended, like the content
     * @param personal the clear values by JSON pointer into the content
     */
    record EntryLine(
            String type,
            long sequence,
            UUID id,
            String leafHash,
            @Nullable Instant recordedAt,
            @Nullable JsonNode content,
            Map<String, PersonalValue> personal) {
        static EntryLine of(StoredEntry entry) {
            return new EntryLine(
                    "entry",
                    entry.sequence(),
                    entry.id(),
                    entry.leafHash().hex(),
                    entry.recordedAt(),
                    entry.content(),
                    entry.personalValues());
        }
    }

    /** A checkpoint of an export, after the last entry that it covers. */
    record CheckpointLine(String type, long treeSize, String rootHash, String note, Instant signedAt) {
        static CheckpointLine of(StoredCheckpoint checkpoint) {
            return new CheckpointLine(
                    "checkpoint", checkpoint.size(), checkpoint.root().hex(), checkpoint.note(), checkpoint.signedAt());
        }
    }

    /**
     * A tile of an export, after the last entry that it covers.
     *
     * @param hashes the hashes of the tile, in Base64
     */
    record TileLine(String type, String path, String hashes) {
        static TileLine of(StoredTile stored) {
            return new TileLine(
                    "tile", stored.tile().path(), Base64.getEncoder().encodeToString(stored.encode()));
        }
    }

    /** The last line of a page; null if there are no further entries with a checkpoint. */
    record PageLine(String type, @Nullable Long nextSequence) {}

    static List<String> hex(List<Hash> hashes) {
        return hashes.stream().map(Hash::hex).toList();
    }
}
