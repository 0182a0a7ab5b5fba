package dev.slipway.operations;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.OperationBlockers.AdapterAvailability;
import dev.slipway.operations.domain.RegisteredAdapter;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of runtime adapters and their heartbeats. Adapters belong to the platform, not to a tenant. */
public final class AdapterStore {
    private static final String RECORD_HEARTBEAT = """
            UPDATE adapters SET last_seen_at = greatest(last_seen_at, $2), started_at = $3, software = $4, instances = $5, waiting = $6
            WHERE id = $1 AND runtime_backend = $7 RETURNING id
            """;
    private static final String LIST = """
            SELECT id, runtime_backend, display_name, state, last_seen_at, started_at, software, instances, waiting
            FROM adapters ORDER BY runtime_backend, display_name, id LIMIT 500
            """;
    private static final String FIND_BACKEND = "SELECT runtime_backend FROM adapters WHERE id = $1";
    private static final String FIND_LAST_SEEN =
            "SELECT max(last_seen_at) AS last_seen_at FROM adapters WHERE runtime_backend = $1 AND state = 'active'";

    private final SqlClient reads;

    public AdapterStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Records a heartbeat; {@code at} is the time at which the broker received it. */
    Future<Void> recordHeartbeat(UnitOfWork unit, Instant at, Heartbeat heartbeat) {
        var parameters = Tuple.of(
                heartbeat.adapterId(),
                at.atOffset(ZoneOffset.UTC),
                OffsetDateTime.parse(heartbeat.startedAt()),
                heartbeat.software(),
                heartbeat.instances(),
                heartbeat.waiting(),
                heartbeat.runtimeBackend());
        return unit.query(RECORD_HEARTBEAT, parameters)
                .compose(rows -> rows.size() > 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(notFound(heartbeat.adapterId())));
    }

    public Future<List<RegisteredAdapter>> list() {
        return reads.query(LIST).execute().map(rows -> {
            var adapters = new ArrayList<RegisteredAdapter>(rows.size());
            rows.forEach(row -> adapters.add(fromRow(row)));
            return adapters;
        });
    }

    public Future<String> findBackend(UUID adapterId) {
        return reads.preparedQuery(FIND_BACKEND)
                .execute(Tuple.of(adapterId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(adapterId))
                        : Future.succeededFuture(rows.iterator().next().getString("runtime_backend")));
    }

    public Future<AdapterAvailability> findAvailability(String backend) {
        return reads.preparedQuery(FIND_LAST_SEEN)
                .execute(Tuple.of(backend))
                .map(rows -> new AdapterAvailability(
                        backend, time(rows.iterator().next(), "last_seen_at"), RegisteredAdapter.HEARTBEAT_TIMEOUT));
    }

    private static RegisteredAdapter fromRow(Row row) {
        return new RegisteredAdapter(
                row.getUUID("id"),
                row.getString("runtime_backend"),
                row.getString("display_name"),
                TextEnum.parse(ResourceState.class, row.getString("state")),
                time(row, "last_seen_at"),
                time(row, "started_at"),
                row.getString("software"),
                row.getInteger("instances"),
                row.getInteger("waiting"));
    }

    private static @Nullable Instant time(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static Throwable notFound(UUID adapterId) {
        return Problem.of(
                        ErrorCode.NOT_FOUND,
                        "Adapter " + adapterId
                                + " was not found for this backend, or has not been replicated to this service yet. Retry shortly.")
                .asException();
    }
}
