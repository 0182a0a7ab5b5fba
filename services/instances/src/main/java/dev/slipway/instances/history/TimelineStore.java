package dev.slipway.instances.history;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.history.domain.Fact;
import dev.slipway.instances.history.domain.InstanceHistory;
import dev.slipway.instances.history.domain.PastState;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads what happened to an instance. One of another project has no history. */
public final class TimelineStore {
    private static final String LAST = """
            SELECT max(sequence) AS last FROM instance_events
            WHERE app_instance_id = $1 AND project_id = $2 AND ($3::timestamptz IS NULL OR occurred_at <= $3)
            """;
    /** Operations and members change an instance's sequence, and nothing else of it: of those the last is enough. */
    private static final String FOLDED = "WITH until AS (" + LAST + """
            )
            SELECT e.sequence, e.event_type, e.occurred_at, e.payload::text AS payload
            FROM instance_events e JOIN until ON e.sequence <= until.last
            WHERE e.app_instance_id = $1 AND e.project_id = $2
                AND (e.event_type LIKE 'apps.instance.%' OR e.sequence = until.last)
            ORDER BY e.sequence
            """;

    private static final String AFTER = """
            SELECT sequence, event_id, event_type, occurred_at, correlation_id, actor::text AS actor, payload::text AS payload
            FROM instance_events WHERE app_instance_id = $1 AND project_id = $2 AND sequence > $3
            ORDER BY sequence LIMIT $4
            """;
    private static final String SEQUENCE = """
            SELECT sequence FROM instance_events WHERE app_instance_id = $1 AND project_id = $2 AND event_id = $3
            """;

    private final SqlClient reads;

    public TimelineStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The instance at a time; as it is now where none is given. */
    Future<PastState> at(UUID projectId, UUID id, @Nullable Instant time) {
        var until = time == null ? null : time.atOffset(ZoneOffset.UTC);
        return reads.preparedQuery(FOLDED)
                .execute(Tuple.of(id, projectId, until))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.failedFuture(notFound(id));
                    }
                    var facts = new ArrayList<Fact>();
                    rows.forEach(row -> facts.add(fact(row)));
                    return Future.succeededFuture(InstanceHistory.fold(facts));
                });
    }

    /** The number of the last event. */
    Future<Long> last(UUID projectId, UUID id) {
        return reads.preparedQuery(LAST).execute(Tuple.of(id, projectId, null)).compose(rows -> {
            var last = rows.iterator().next().getLong("last");
            return last == null ? Future.failedFuture(notFound(id)) : Future.succeededFuture(last);
        });
    }

    Future<List<TimelineEntry>> after(UUID projectId, UUID id, long sequence, int limit) {
        return reads.preparedQuery(AFTER)
                .execute(Tuple.of(id, projectId, sequence, limit))
                .map(rows -> {
                    var entries = new ArrayList<TimelineEntry>();
                    rows.forEach(row -> entries.add(entry(row)));
                    return entries;
                });
    }

    Future<Page<TimelineEntry>> page(UUID projectId, UUID id, @Nullable Cursor cursor, int limit) {
        return last(projectId, id)
                .compose(there -> cursor == null ? Future.succeededFuture(0L) : sequence(projectId, id, cursor))
                .compose(from -> after(projectId, id, from, limit + 1))
                .map(found -> Page.of(found, limit, last -> new Cursor(last.occurredAt(), last.eventId())));
    }

    private Future<Long> sequence(UUID projectId, UUID id, Cursor cursor) {
        return reads.preparedQuery(SEQUENCE)
                .execute(Tuple.of(id, projectId, cursor.id()))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(
                                Problem.validationOf(ErrorCode.INVALID_CURSOR, "cursor", "is of another timeline")
                                        .asException())
                        : Future.succeededFuture(rows.iterator().next().getLong("sequence")));
    }

    private static Fact fact(Row row) {
        return HistoryJson.fact(
                row.getString("event_type"),
                row.getLong("sequence"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                Json.trusted(row.getString("payload")));
    }

    private static TimelineEntry entry(Row row) {
        return new TimelineEntry(
                row.getLong("sequence"),
                row.getUUID("event_id"),
                row.getString("event_type"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                row.getString("correlation_id"),
                row.getString("actor"),
                Json.trusted(row.getString("payload")));
    }

    private static Throwable notFound(UUID id) {
        return Problem.of(
                        ErrorCode.APP_INSTANCE_NOT_FOUND,
                        "There is no app instance " + id + " in this project, or there was none then.")
                .asException();
    }
}
