package dev.slipway.operations;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the stored events of subjects. A subject of another project is not found. */
public final class TimelineStore {
    private static final String FIND_LAST = """
            SELECT max(sequence) AS last FROM instance_events WHERE app_instance_id = $1 AND project_id = $2
            """;
    private static final String LIST_AFTER = """
            SELECT sequence, event_id, event_type, occurred_at, correlation_id, actor::text AS actor, payload::text AS payload
            FROM instance_events WHERE app_instance_id = $1 AND project_id = $2 AND sequence > $3
            ORDER BY sequence LIMIT $4
            """;
    private static final String FIND_SEQUENCE = """
            SELECT sequence FROM instance_events WHERE app_instance_id = $1 AND project_id = $2 AND event_id = $3
            """;

    private final SubjectKind kind;
    private final SqlClient reads;

    public TimelineStore(SubjectKind kind, SqlClient reads) {
        this.kind = kind;
        this.reads = reads;
    }

    /** Returns the sequence number of the last event. */
    Future<Long> findLastSequence(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND_LAST).execute(Tuple.of(id, projectId)).compose(rows -> {
            var last = rows.iterator().next().getLong("last");
            return last == null ? Future.failedFuture(notFound(id)) : Future.succeededFuture(last);
        });
    }

    Future<List<TimelineEntry>> listAfter(UUID projectId, UUID id, long sequence, int limit) {
        return reads.preparedQuery(LIST_AFTER)
                .execute(Tuple.of(id, projectId, sequence, limit))
                .map(rows -> {
                    var entries = new ArrayList<TimelineEntry>(rows.size());
                    rows.forEach(row -> entries.add(fromRow(row)));
                    return entries;
                });
    }

    Future<Page<TimelineEntry>> list(UUID projectId, UUID id, @Nullable Cursor cursor, int limit) {
        return findLastSequence(projectId, id)
                .compose(last -> cursor == null ? Future.succeededFuture(0L) : findSequence(projectId, id, cursor))
                .compose(from -> listAfter(projectId, id, from, limit + 1))
                .map(found -> Page.of(found, limit, last -> new Cursor(last.occurredAt(), last.eventId())));
    }

    private Future<Long> findSequence(UUID projectId, UUID id, Cursor cursor) {
        return reads.preparedQuery(FIND_SEQUENCE)
                .execute(Tuple.of(id, projectId, cursor.id()))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(
                                Problem.validationOf(ErrorCode.INVALID_CURSOR, "cursor", "belongs to another timeline")
                                        .asException())
                        : Future.succeededFuture(rows.iterator().next().getLong("sequence")));
    }

    private static TimelineEntry fromRow(Row row) {
        var eventType = row.getString("event_type");
        var payload = Json.parseStoredObject(row.getString("payload"));
        return new TimelineEntry(
                row.getLong("sequence"),
                row.getUUID("event_id"),
                eventType,
                row.getOffsetDateTime("occurred_at").toInstant(),
                row.getString("correlation_id"),
                row.getString("actor"),
                TimelineEntry.summarize(eventType, payload),
                payload);
    }

    private Throwable notFound(UUID id) {
        return Problem.of(ErrorCode.of(kind.notFoundCode()), "This project has no " + kind.noun() + " " + id + ".")
                .asException();
    }
}
