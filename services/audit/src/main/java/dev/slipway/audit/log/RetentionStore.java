package dev.slipway.audit.log;

import dev.slipway.audit.log.domain.LogId;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;

/** All SQL of retention: the classes of the registry, legal holds, and the deletion of expired content. Leaves are never deleted. */
public final class RetentionStore {
    private static final String UPSERT_CLASS = """
            INSERT INTO retention_classes (id, version, retention_days) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET version = $2, retention_days = $3 WHERE retention_classes.version <= $2
            """;
    private static final String DELETE_EXPIRED = """
            WITH expired AS (
                SELECT e.log_id, e.sequence, e.recorded_at
                FROM log_entries e JOIN retention_classes c ON c.id = e.retention_class
                WHERE e.recorded_at < $1::timestamptz - make_interval(days => c.retention_days)
                    AND NOT EXISTS (SELECT FROM log_holds h WHERE h.log_id = e.log_id)
                LIMIT $2
            ), deleted_values AS (
                DELETE FROM log_personal_values p USING expired x WHERE p.log_id = x.log_id AND p.sequence = x.sequence
            ), deleted AS (
                DELETE FROM log_entries e USING expired x
                WHERE e.log_id = x.log_id AND e.sequence = x.sequence AND e.recorded_at = x.recorded_at RETURNING e.event_id
            )
            SELECT count(*)::integer AS entries, redact_audit_records(array_agg(event_id)) FROM deleted
            """;
    private static final String FIND_HOLD = "SELECT reason, placed_by, placed_at FROM log_holds WHERE log_id = $1";
    private static final String PLACE_HOLD = """
            INSERT INTO log_holds (log_id, reason, placed_by, placed_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (log_id) DO UPDATE SET reason = $2, placed_by = $3, placed_at = $4
            """;
    private static final String RELEASE_HOLD = "DELETE FROM log_holds WHERE log_id = $1";

    private final SqlClient reads;

    /** A legal hold: content of the log is not deleted while it exists. */
    record LegalHold(String reason, UUID placedBy, Instant placedAt) {}

    public RetentionStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Stores a retention class, unless a later version is stored. */
    void upsertClass(UnitOfWork unit, String id, int version, int retentionDays) {
        unit.write(UPSERT_CLASS, Tuple.of(id, version, retentionDays));
    }

    /** Deletes the content of up to {@code limit} entries whose retention has ended, and their personal values in the archive; returns how many. */
    Future<Integer> deleteExpired(UnitOfWork unit, int limit) {
        return unit.query(DELETE_EXPIRED, Tuple.of(unit.now().atOffset(ZoneOffset.UTC), limit))
                .map(rows -> rows.iterator().next().getInteger("entries"));
    }

    Future<@Nullable LegalHold> findHold(LogId logId) {
        return reads.preparedQuery(FIND_HOLD)
                .execute(Tuple.of(logId.value()))
                .map(rows -> rows.size() == 0 ? null : hold(rows.iterator().next()));
    }

    void placeHold(UnitOfWork unit, LogId logId, LegalHold hold) {
        unit.write(
                PLACE_HOLD,
                Tuple.of(logId.value(), hold.reason, hold.placedBy, hold.placedAt.atOffset(ZoneOffset.UTC)));
    }

    void releaseHold(UnitOfWork unit, LogId logId) {
        unit.write(RELEASE_HOLD, Tuple.of(logId.value()));
    }

    private static LegalHold hold(Row row) {
        return new LegalHold(
                row.getString("reason"),
                row.getUUID("placed_by"),
                row.getOffsetDateTime("placed_at").toInstant());
    }
}
