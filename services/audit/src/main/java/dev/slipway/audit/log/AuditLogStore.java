package dev.slipway.audit.log;

import dev.slipway.audit.log.EntryContent.NewEntry;
import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BatchInsert;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Appends to the logs. Entries and hashes are never updated. */
public final class AuditLogStore {
    private static final String CREATE_HEADS = """
            INSERT INTO log_heads (log_id, size, roots)
            SELECT log_id, 0, '' FROM unnest($1::uuid[]) AS new(log_id) ON CONFLICT DO NOTHING
            """;
    private static final String LOCK_HEADS =
            "SELECT log_id, size, roots FROM log_heads WHERE log_id = ANY($1) ORDER BY log_id FOR UPDATE";
    private static final String FIND_APPENDED = "SELECT event_id FROM log_leaves WHERE event_id = ANY($1)";
    private static final String CREATE_PARTITION = "SELECT create_log_partition($1), create_archive_partition($1)";
    private static final BatchInsert INSERT_LEAF =
            new BatchInsert("""
            INSERT INTO log_leaves (log_id, sequence, event_id, leaf_hash)
            SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bytea[])
            """, UUID.class, Long.class, UUID.class, Buffer.class);
    private static final BatchInsert INSERT_ENTRY =
            new BatchInsert("""
            INSERT INTO log_entries (log_id, sequence, recorded_at, content)
            SELECT log_id, sequence, recorded_at, content::jsonb
            FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[], $4::text[]) AS e(log_id, sequence, recorded_at, content)
            """, UUID.class, Long.class, OffsetDateTime.class, String.class);
    private static final BatchInsert INSERT_PERSONAL_VALUES =
            new BatchInsert("""
            INSERT INTO log_personal_values (log_id, sequence, values)
            SELECT log_id, sequence, personal::jsonb
            FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS p(log_id, sequence, personal)
            """, UUID.class, Long.class, String.class);
    private static final BatchInsert INSERT_NODE =
            new BatchInsert("""
            INSERT INTO log_nodes (log_id, level, index, hash)
            SELECT * FROM unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::bytea[])
            """, UUID.class, Short.class, Long.class, Buffer.class);
    private static final String UPDATE_HEAD = "UPDATE log_heads SET size = $2, roots = $3 WHERE log_id = $1";

    private final SqlClient reads;

    public AuditLogStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Creates the partitions of a month, of the log and of the archive, if they do not exist. */
    Future<Void> createPartition(LocalDate month) {
        return reads.preparedQuery(CREATE_PARTITION).execute(Tuple.of(month)).mapEmpty();
    }

    /** Creates missing logs, and locks all of them until the end of the transaction. */
    Future<Map<LogId, Frontier>> lockHeads(UnitOfWork unit, List<LogId> logIds) {
        var ids = logIds.stream().map(LogId::value).toArray(UUID[]::new);
        unit.write(CREATE_HEADS, Tuple.of((Object) ids));
        return unit.query(LOCK_HEADS, Tuple.of((Object) ids)).map(rows -> {
            var heads = new HashMap<LogId, Frontier>();
            rows.forEach(row -> heads.put(new LogId(row.getUUID("log_id")), frontier(row)));
            return heads;
        });
    }

    /** Returns which of the audit records are in a log already. */
    Future<Set<UUID>> findAppended(UnitOfWork unit, List<UUID> eventIds) {
        return unit.query(FIND_APPENDED, Tuple.of((Object) eventIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var found = new HashSet<UUID>();
                    rows.forEach(row -> found.add(row.getUUID("event_id")));
                    return found;
                });
    }

    void insertEntry(UnitOfWork unit, LogId logId, long sequence, NewEntry entry, Hash leafHash) {
        var content = entry.content();
        var recordedAt = unit.now().atOffset(ZoneOffset.UTC);
        unit.insertRow(
                INSERT_LEAF,
                logId.value(),
                sequence,
                UUID.fromString(content.path("id").asText()),
                Buffer.buffer(leafHash.bytes()));
        unit.insertRow(INSERT_ENTRY, logId.value(), sequence, recordedAt, Json.text(content));
        if (!entry.personalValues().isEmpty()) {
            unit.insertRow(INSERT_PERSONAL_VALUES, logId.value(), sequence, Json.text(entry.personalValues()));
        }
    }

    /** Stores the root of a complete subtree that is part of a tile above the leaves. */
    void insertNode(UnitOfWork unit, LogId logId, int tileLevel, long index, Hash hash) {
        unit.insertRow(INSERT_NODE, logId.value(), (short) tileLevel, index, Buffer.buffer(hash.bytes()));
    }

    void updateHead(UnitOfWork unit, LogId logId, Frontier head) {
        unit.write(UPDATE_HEAD, Tuple.of(logId.value(), head.size(), Buffer.buffer(head.encodeRoots())));
    }

    static Frontier frontier(Row row) {
        return Frontier.decode(row.getLong("size"), row.getBuffer("roots").getBytes());
    }
}
