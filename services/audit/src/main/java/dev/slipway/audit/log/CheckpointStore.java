package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.Frontier;
import dev.slipway.audit.log.domain.Hash;
import dev.slipway.audit.log.domain.LogId;
import dev.slipway.audit.log.domain.NoteSignature;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** All SQL of checkpoints and of the keys that sign them. */
public final class CheckpointStore {
    private static final String FIND_UNSIGNED_HEADS =
            "SELECT log_id, size, roots FROM log_unsigned_heads ORDER BY log_id LIMIT $1";
    private static final String INSERT = """
            INSERT INTO log_checkpoints (log_id, size, root_hash, note, signed_at)
            SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::text[], $5::timestamptz[])
            ON CONFLICT DO NOTHING RETURNING log_id
            """;
    private static final String UPDATE_SIGNED_SIZES = """
            INSERT INTO log_signed_sizes (log_id, size) SELECT * FROM unnest($1::uuid[], $2::bigint[])
            ON CONFLICT (log_id) DO UPDATE SET size = greatest(log_signed_sizes.size, excluded.size)
            """;
    /** The cosignatures are the last lines of the note. */
    static final String COLUMNS = """
            SELECT c.size, c.root_hash, c.signed_at, c.note || coalesce((
                SELECT string_agg(s.signature || E'\n', '' ORDER BY s.witness)
                FROM log_cosignatures s WHERE s.log_id = c.log_id AND s.size = c.size), '') AS note
            FROM log_checkpoints c
            """;

    private static final String FIND_LATEST = COLUMNS + "WHERE c.log_id = $1 ORDER BY c.size DESC LIMIT 1";
    private static final String FIND = COLUMNS + "WHERE c.log_id = $1 AND c.size = $2";
    private static final String FIND_UNCOSIGNED = """
            SELECT c.log_id, c.size, coalesce(cosigned.size, 0) AS cosigned_size, c.note
            FROM log_signed_sizes newest
            JOIN log_checkpoints c USING (log_id, size)
            LEFT JOIN LATERAL (
                SELECT max(s.size) AS size FROM log_cosignatures s WHERE s.log_id = c.log_id AND s.witness = $1) cosigned ON true
            WHERE c.size > coalesce(cosigned.size, 0)
            ORDER BY c.log_id LIMIT $2
            """;
    private static final String INSERT_COSIGNATURE = """
            INSERT INTO log_cosignatures (log_id, size, witness, signature) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
            """;
    private static final String LOCK_KEYS = "SELECT pg_advisory_xact_lock(hashtextextended('audit.log_keys', 0))";
    private static final TableColumns KEYS =
            TableColumns.of("log_keys", "public_key", "private_key", "created_at", "rotates_at", "expires_at");
    private static final String LIST_KEYS = KEYS.select() + "ORDER BY created_at DESC LIMIT 100";
    private static final String INSERT_KEY = KEYS.insert();

    private final SqlClient reads;

    /** A stored checkpoint. */
    record StoredCheckpoint(long size, Hash root, String note, Instant signedAt) {}

    /** A checkpoint that a witness has not cosigned; {@code cosignedSize} is the last size that it has, or 0. */
    record PendingCosignature(LogId logId, long size, long cosignedSize, String note) {}

    public CheckpointStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the current trees of logs that have entries after their newest checkpoint. */
    Future<Map<LogId, Frontier>> findUnsignedHeads(int limit) {
        return reads.preparedQuery(FIND_UNSIGNED_HEADS).execute(Tuple.of(limit)).map(rows -> {
            var heads = new LinkedHashMap<LogId, Frontier>();
            rows.forEach(row -> heads.put(new LogId(row.getUUID("log_id")), AuditLogStore.frontier(row)));
            return heads;
        });
    }

    /** Stores checkpoints; returns the logs of which no other process has stored one of this size. */
    Future<Set<LogId>> insert(UnitOfWork unit, Map<LogId, StoredCheckpoint> checkpoints) {
        var logIds = checkpoints.keySet().stream().map(LogId::value).toArray(UUID[]::new);
        var stored = checkpoints.values();
        var sizes = stored.stream().map(StoredCheckpoint::size).toArray(Long[]::new);
        unit.write(UPDATE_SIGNED_SIZES, Tuple.of(logIds, (Object) sizes));
        return unit.query(
                        INSERT,
                        Tuple.of(
                                logIds,
                                sizes,
                                stored.stream()
                                        .map(checkpoint -> Buffer.buffer(checkpoint.root.bytes()))
                                        .toArray(Buffer[]::new),
                                stored.stream().map(StoredCheckpoint::note).toArray(String[]::new),
                                stored.stream()
                                        .map(checkpoint -> checkpoint.signedAt.atOffset(ZoneOffset.UTC))
                                        .toArray(OffsetDateTime[]::new)))
                .map(rows -> {
                    var inserted = new HashSet<LogId>();
                    rows.forEach(row -> inserted.add(new LogId(row.getUUID("log_id"))));
                    return inserted;
                });
    }

    /** Returns the newest checkpoint, or null if the log has none. */
    Future<@Nullable StoredCheckpoint> findLatest(LogId logId) {
        return reads.preparedQuery(FIND_LATEST).execute(Tuple.of(logId.value())).map(CheckpointStore::first);
    }

    /** Returns the checkpoint of a size, or null if there is none. */
    Future<@Nullable StoredCheckpoint> find(LogId logId, long size) {
        return reads.preparedQuery(FIND).execute(Tuple.of(logId.value(), size)).map(CheckpointStore::first);
    }

    /** Returns the newest checkpoints of the logs that have grown since the witness last cosigned them. */
    Future<List<PendingCosignature>> findUncosigned(String witness, int limit) {
        return reads.preparedQuery(FIND_UNCOSIGNED)
                .execute(Tuple.of(witness, limit))
                .map(rows -> {
                    var found = new ArrayList<PendingCosignature>(rows.size());
                    rows.forEach(row -> found.add(new PendingCosignature(
                            new LogId(row.getUUID("log_id")),
                            row.getLong("size"),
                            row.getLong("cosigned_size"),
                            row.getString("note"))));
                    return found;
                });
    }

    /** Stores a verified cosignature. Another process may have stored one. */
    Future<Void> insertCosignature(PendingCosignature cosigned, String witness, NoteSignature signature) {
        return reads.preparedQuery(INSERT_COSIGNATURE)
                .execute(Tuple.of(cosigned.logId.value(), cosigned.size, witness, signature.line()))
                .mapEmpty();
    }

    /** Lists all keys, the newest first. */
    Future<List<LogKey>> listKeys() {
        return reads.query(LIST_KEYS).execute().map(CheckpointStore::keys);
    }

    /** Lists all keys, and prevents other transactions from inserting one until this one ends. */
    static Future<List<LogKey>> lockKeys(UnitOfWork unit) {
        return unit.query(LOCK_KEYS, Tuple.tuple())
                .compose(ok -> unit.query(LIST_KEYS, Tuple.tuple()))
                .map(CheckpointStore::keys);
    }

    static void insertKey(UnitOfWork unit, LogKey key) {
        unit.write(
                INSERT_KEY,
                Tuple.of(
                        key.publicKey(),
                        key.encryptedPrivateKey(),
                        key.createdAt().atOffset(ZoneOffset.UTC),
                        key.rotatesAt().atOffset(ZoneOffset.UTC),
                        key.expiresAt().atOffset(ZoneOffset.UTC)));
    }

    private static @Nullable StoredCheckpoint first(RowSet<Row> rows) {
        return rows.size() == 0 ? null : checkpoint(rows.iterator().next());
    }

    static StoredCheckpoint checkpoint(Row row) {
        return new StoredCheckpoint(
                row.getLong("size"),
                Hash.of(row.getBuffer("root_hash").getBytes()),
                row.getString("note"),
                row.getOffsetDateTime("signed_at").toInstant());
    }

    private static List<LogKey> keys(RowSet<Row> rows) {
        var keys = new ArrayList<LogKey>(rows.size());
        rows.forEach(row -> keys.add(new LogKey(
                row.getString("public_key"),
                row.getBuffer("private_key"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("rotates_at").toInstant(),
                row.getOffsetDateTime("expires_at").toInstant())));
        return keys;
    }
}
