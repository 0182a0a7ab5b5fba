package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.InstanceHistory;
import dev.slipway.instances.appinstance.domain.PastEvent;
import dev.slipway.instances.appinstance.domain.PastState;
import dev.slipway.operations.TimelineApi.Snapshot;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.UUID;

/** Computes the state of an instance from its stored events. An instance of another project is not found. */
public final class InstanceHistoryStore {
    /** Operation and member events change only the instance's sequence, so only the last of them is read. */
    private static final String LIST_EVENTS = """
            WITH until AS (
                SELECT max(sequence) AS last FROM instance_events
                WHERE app_instance_id = $1 AND project_id = $2 AND ($3::timestamptz IS NULL OR occurred_at <= $3))
            SELECT e.sequence, e.event_type, e.occurred_at, e.payload::text AS payload
            FROM instance_events e JOIN until ON e.sequence <= until.last
            WHERE e.app_instance_id = $1 AND e.project_id = $2
                AND (e.event_type LIKE 'apps.instance.%' OR e.sequence = until.last)
            ORDER BY e.sequence
            """;

    private final SqlClient reads;

    public InstanceHistoryStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the state at a time; PostgreSQL cannot represent very early times, and nothing existed then. */
    Future<PastState> findAt(UUID projectId, UUID id, Instant time) {
        return find(projectId, id, time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time);
    }

    /** Returns the current state, for a stream. */
    public Future<Snapshot> findSnapshot(UUID projectId, UUID id) {
        return find(projectId, id, null).map(state -> new Snapshot(state.sequence(), HistoryJson.instance(state)));
    }

    private Future<PastState> find(UUID projectId, UUID id, @Nullable Instant time) {
        var until = time == null ? null : time.atOffset(ZoneOffset.UTC);
        return reads.preparedQuery(LIST_EVENTS)
                .execute(Tuple.of(id, projectId, until))
                .compose(rows -> {
                    if (rows.size() == 0) {
                        return Future.failedFuture(notFound(id));
                    }
                    var events = new ArrayList<PastEvent>(rows.size());
                    rows.forEach(row -> events.add(fromRow(row)));
                    return Future.succeededFuture(InstanceHistory.fold(events));
                });
    }

    private static PastEvent fromRow(Row row) {
        return HistoryJson.pastEvent(
                row.getString("event_type"),
                row.getLong("sequence"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                Json.parseStoredObject(row.getString("payload")));
    }

    private static Throwable notFound(UUID id) {
        return Problem.of(
                        ErrorCode.APP_INSTANCE_NOT_FOUND,
                        "This project has no app instance " + id + ", or it did not exist at that time.")
                .asException();
    }
}
