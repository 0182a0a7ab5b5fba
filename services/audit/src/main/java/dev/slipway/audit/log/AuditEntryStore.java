package dev.slipway.audit.log;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.log.CheckpointStore.StoredCheckpoint;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.PersonalValue;
import dev.slipway.audit.log.domain.Subtree;
import dev.slipway.audit.log.domain.Tile;
import dev.slipway.audit.log.domain.TileRange;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads and redacts entries. Every statement is limited to one log. */
public final class AuditEntryStore {
    private static final String COLUMNS = """
            SELECT l.sequence, l.event_id, l.leaf_hash, e.recorded_at, e.content::text AS content, p.values::text AS personal
            """;
    private static final String LIST = COLUMNS + """
            FROM log_entries e JOIN log_leaves l USING (log_id, sequence) LEFT JOIN log_personal_values p USING (log_id, sequence)
            WHERE e.log_id = $1 AND ($2::uuid IS NULL OR e.project_id = $2) AND ($3::text IS NULL OR e.actor_id = $3)
                AND ($4::text IS NULL OR e.action = $4) AND ($5::text IS NULL OR e.target_id = $5)
                AND ($6::text IS NULL OR e.result = $6) AND ($7::timestamptz IS NULL OR e.recorded_at >= $7)
                AND ($8::timestamptz IS NULL OR e.recorded_at < $8) AND ($9::text IS NULL OR e.correlation_id = $9)
                AND ($10::uuid IS NULL OR e.sequence < (SELECT sequence FROM log_leaves WHERE log_id = $1 AND event_id = $10))
            ORDER BY e.sequence DESC LIMIT $11
            """;
    private static final String FIND = COLUMNS + """
            FROM log_entries e JOIN log_leaves l USING (log_id, sequence) LEFT JOIN log_personal_values p USING (log_id, sequence)
            WHERE e.log_id = $1 AND e.event_id = $2 AND ($3::uuid IS NULL OR e.project_id = $3)
            """;
    private static final String EXPORT = COLUMNS + """
            FROM log_leaves l LEFT JOIN log_entries e USING (log_id, sequence) LEFT JOIN log_personal_values p USING (log_id, sequence)
            WHERE l.log_id = $1 AND l.sequence >= $2 AND l.sequence < $3 ORDER BY l.sequence
            """;
    private static final String CHECKPOINTS =
            CheckpointStore.COLUMNS + "WHERE c.log_id = $1 AND c.size > $2 AND c.size <= $3 ORDER BY c.size";
    private static final String HASHES = """
            SELECT 0 AS level, l.sequence AS index, l.leaf_hash AS hash
            FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS r(level, first, last)
            JOIN log_leaves l ON l.log_id = $1 AND l.sequence >= r.first AND l.sequence < r.last
            WHERE r.level = 0
            UNION ALL
            SELECT n.level, n.index, n.hash
            FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS r(level, first, last)
            JOIN log_nodes n ON n.log_id = $1 AND n.level = r.level AND n.index >= r.first AND n.index < r.last
            WHERE r.level > 0
            """;
    private static final String FIND_SEQUENCES =
            "SELECT sequence FROM log_leaves WHERE log_id = $1 AND event_id = ANY($2) ORDER BY sequence";
    private static final String DELETE_PERSONAL_VALUES =
            "DELETE FROM log_personal_values WHERE log_id = $1 AND sequence = ANY($2)";
    private static final String REDACT_TIMELINE = "SELECT redact_audit_records($1)";

    private final SqlClient reads;

    /** Limits a list; null means any. */
    record EntryFilter(
            @Nullable UUID projectId,
            @Nullable String actor,
            @Nullable String action,
            @Nullable String target,
            @Nullable String result,
            @Nullable Instant since,
            @Nullable Instant until,
            @Nullable String correlationId) {}

    /**
     * A stored entry.
     *
     * @param recordedAt null if its retention has ended, like the content
     * @param personalValues empty if the entry has none or was redacted
     */
    record StoredEntry(
            long sequence,
            UUID id,
            Hash leafHash,
            @Nullable Instant recordedAt,
            @Nullable ObjectNode content,
            Map<String, PersonalValue> personalValues) {}

    public AuditEntryStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the newest entries before the cursor. */
    Future<List<StoredEntry>> list(LogId logId, EntryFilter filter, @Nullable Cursor cursor, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.tuple()
                        .addUUID(logId.value())
                        .addUUID(filter.projectId)
                        .addString(filter.actor)
                        .addString(filter.action)
                        .addString(filter.target)
                        .addString(filter.result)
                        .addOffsetDateTime(at(filter.since))
                        .addOffsetDateTime(at(filter.until))
                        .addString(filter.correlationId)
                        .addUUID(cursor == null ? null : cursor.id())
                        .addInteger(limit))
                .map(AuditEntryStore::entries);
    }

    /** Returns the entry, or nothing if it belongs to another log or project. */
    Future<List<StoredEntry>> find(LogId logId, UUID entryId, @Nullable UUID projectId) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(logId.value(), entryId, projectId))
                .map(AuditEntryStore::entries);
    }

    /** Returns all entries of a range, in order, also those whose retention has ended. */
    Future<List<StoredEntry>> export(LogId logId, long from, long to) {
        return reads.preparedQuery(EXPORT)
                .execute(Tuple.of(logId.value(), from, to))
                .map(AuditEntryStore::entries);
    }

    /** Returns the checkpoints with more than {@code from} and up to {@code to} entries, in order. */
    Future<List<StoredCheckpoint>> listCheckpoints(LogId logId, long from, long to) {
        return reads.preparedQuery(CHECKPOINTS)
                .execute(Tuple.of(logId.value(), from, to))
                .map(rows -> {
                    var found = new ArrayList<StoredCheckpoint>(rows.size());
                    rows.forEach(row -> found.add(CheckpointStore.checkpoint(row)));
                    return found;
                });
    }

    /** Returns the stored hashes of the ranges. */
    Future<Map<Subtree, Hash>> findHashes(LogId logId, List<TileRange> ranges) {
        var levels = ranges.stream().map(TileRange::level).toArray(Integer[]::new);
        var first = ranges.stream().map(TileRange::from).toArray(Long[]::new);
        var last = ranges.stream().map(TileRange::to).toArray(Long[]::new);
        return reads.preparedQuery(HASHES)
                .execute(Tuple.of(logId.value(), levels, first, last))
                .map(rows -> {
                    var hashes = new HashMap<Subtree, Hash>();
                    rows.forEach(row -> hashes.put(
                            new Subtree(row.getInteger("level") * Tile.HEIGHT, row.getLong("index")),
                            Hash.of(row.getBuffer("hash").getBytes())));
                    return hashes;
                });
    }

    /** Returns the sequences of those entries that are in the log. */
    Future<List<Long>> findSequences(UnitOfWork unit, LogId logId, List<UUID> entryIds) {
        return unit.query(FIND_SEQUENCES, Tuple.of(logId.value(), (Object) entryIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var sequences = new ArrayList<Long>(rows.size());
                    rows.forEach(row -> sequences.add(row.getLong("sequence")));
                    return sequences;
                });
    }

    /** Deletes the personal values of entries from the log and from the timeline. */
    void redact(UnitOfWork unit, LogId logId, List<Long> sequences, List<UUID> entryIds) {
        unit.write(DELETE_PERSONAL_VALUES, Tuple.of(logId.value(), (Object) sequences.toArray(Long[]::new)));
        unit.write(REDACT_TIMELINE, Tuple.of((Object) entryIds.toArray(UUID[]::new)));
    }

    private static @Nullable OffsetDateTime at(@Nullable Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }

    private static List<StoredEntry> entries(RowSet<Row> rows) {
        var entries = new ArrayList<StoredEntry>(rows.size());
        rows.forEach(row -> entries.add(entry(row)));
        return entries;
    }

    private static StoredEntry entry(Row row) {
        var content = row.getString("content");
        var recordedAt = row.getOffsetDateTime("recorded_at");
        var values = new HashMap<String, PersonalValue>();
        var personal = row.getString("personal");
        if (personal != null) {
            Json.parseStoredObject(personal)
                    .properties()
                    .forEach(field -> values.put(field.getKey(), Json.toRecord(field.getValue(), PersonalValue.class)));
        }
        return new StoredEntry(
                row.getLong("sequence"),
                row.getUUID("event_id"),
                Hash.of(row.getBuffer("leaf_hash").getBytes()),
                recordedAt == null ? null : recordedAt.toInstant(),
                content == null ? null : Json.parseStoredObject(content),
                values);
    }
}
