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

/** Reads the stored events of subjects. A subject of another owner is not found. */
public final class TimelineStore {
    private static final String FIND_LAST = """
            SELECT max(sequence) AS last FROM {events} WHERE {id} = $1 AND {owner} = $2
            """;
    private static final String LIST_AFTER = """
            SELECT sequence, event_id, event_type, occurred_at, correlation_id, actor::text AS actor, payload::text AS payload
            FROM {events} WHERE {id} = $1 AND {owner} = $2 AND sequence > $3
            ORDER BY sequence LIMIT $4
            """;
    private static final String FIND_SEQUENCE = """
            SELECT sequence FROM {events} WHERE {id} = $1 AND {owner} = $2 AND event_id = $3
            """;

    private final SubjectTables tables;
    private final SqlClient reads;

    public TimelineStore(SubjectKind kind, SqlClient reads) {
        this.tables = new SubjectTables(kind);
        this.reads = reads;
    }

    /** Returns the sequence number of the last event. */
    Future<Long> findLastSequence(UUID ownerId, UUID id) {
        return reads.preparedQuery(tables.sql(FIND_LAST))
                .execute(Tuple.of(id, ownerId))
                .compose(rows -> {
                    var last = rows.iterator().next().getLong("last");
                    return last == null ? Future.failedFuture(notFound(id)) : Future.succeededFuture(last);
                });
    }

    Future<List<TimelineEntry>> listAfter(UUID ownerId, UUID id, long sequence, int limit) {
        return reads.preparedQuery(tables.sql(LIST_AFTER))
                .execute(Tuple.of(id, ownerId, sequence, limit))
                .map(rows -> {
                    var entries = new ArrayList<TimelineEntry>(rows.size());
                    rows.forEach(row -> entries.add(fromRow(row)));
                    return entries;
                });
    }

    Future<Page<TimelineEntry>> list(UUID ownerId, UUID id, @Nullable Cursor cursor, int limit) {
        return findLastSequence(ownerId, id)
                .compose(last -> cursor == null ? Future.succeededFuture(0L) : findSequence(ownerId, id, cursor))
                .compose(from -> listAfter(ownerId, id, from, limit + 1))
                .map(found -> Page.of(found, limit, last -> new Cursor(last.occurredAt(), last.eventId())));
    }

    private Future<Long> findSequence(UUID ownerId, UUID id, Cursor cursor) {
        return reads.preparedQuery(tables.sql(FIND_SEQUENCE))
                .execute(Tuple.of(id, ownerId, cursor.id()))
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
        var kind = tables.kind();
        var owner = kind == SubjectKind.APP_INSTANCE ? "project" : "organization";
        return Problem.of(
                        ErrorCode.of(kind.notFoundCode()), "This " + owner + " has no " + kind.noun() + " " + id + ".")
                .asException();
    }
}
