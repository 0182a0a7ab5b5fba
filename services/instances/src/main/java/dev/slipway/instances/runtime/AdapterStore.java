package dev.slipway.instances.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Which adapters there are, and when each was last heard of. They are the platform's, and no tenant's. */
public final class AdapterStore {
    /** An adapter says that it is alive every ten seconds; one that missed three is taken to be away. */
    public static final Duration SILENCE = Duration.ofSeconds(30);

    private static final String HEARD = """
            UPDATE adapters SET last_seen_at = greatest(last_seen_at, $2), started_at = $3, software = $4, instances = $5, waiting = $6
            WHERE id = $1 AND runtime_backend = $7 RETURNING id
            """;
    private static final String LIST = """
            SELECT id, runtime_backend, display_name, state, last_seen_at, started_at, software, instances, waiting
            FROM adapters ORDER BY runtime_backend, display_name, id LIMIT 500
            """;
    private static final String BACKEND = "SELECT runtime_backend FROM adapters WHERE id = $1";
    private static final String LAST_SEEN =
            "SELECT max(last_seen_at) FROM adapters WHERE runtime_backend = $1 AND state = 'active'";

    private final SqlClient reads;

    public AdapterStore(SqlClient reads) {
        this.reads = reads;
    }

    /** An adapter, and what it last said of itself: null where it has not said anything. */
    record Adapter(
            UUID id,
            String runtimeBackend,
            String displayName,
            String state,
            @Nullable Instant lastSeenAt,
            @Nullable Instant startedAt,
            @Nullable String software,
            @Nullable Integer instances,
            @Nullable Integer waiting) {

        boolean isAlive(Instant now) {
            return state.equals("active") && lastSeenAt != null && lastSeenAt.isAfter(now.minus(SILENCE));
        }
    }

    /** Keeps what an adapter said, at the time that the broker took it. */
    Future<Void> heard(UnitOfWork unit, UUID adapterId, Instant at, JsonNode said) {
        var row = Tuple.of(
                adapterId,
                at.atOffset(java.time.ZoneOffset.UTC),
                OffsetDateTime.parse(said.path("started_at").asText()),
                said.path("software").textValue(),
                number(said, "instances"),
                number(said, "waiting"),
                said.path("runtime_backend").asText());
        return unit.query(HEARD, row)
                .compose(rows -> rows.size() > 0 ? Future.succeededFuture() : Future.failedFuture(unknown(adapterId)));
    }

    Future<List<Adapter>> list() {
        return reads.query(LIST).execute().map(rows -> {
            var found = new ArrayList<Adapter>(rows.size());
            rows.forEach(row -> found.add(fromRow(row)));
            return found;
        });
    }

    Future<String> backendOf(UUID adapterId) {
        return reads.preparedQuery(BACKEND)
                .execute(Tuple.of(adapterId))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(unknown(adapterId))
                        : Future.succeededFuture(rows.iterator().next().getString(0)));
    }

    /** When an adapter of the backend was last heard of; null if never. */
    public Future<@Nullable Instant> lastSeen(String backend) {
        return reads.preparedQuery(LAST_SEEN)
                .execute(Tuple.of(backend))
                .map(rows -> time(rows.iterator().next(), 0));
    }

    private static Adapter fromRow(Row row) {
        return new Adapter(
                row.getUUID(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                time(row, 4),
                time(row, 5),
                row.getString(6),
                row.getInteger(7),
                row.getInteger(8));
    }

    private static @Nullable Instant time(Row row, int column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable Integer number(JsonNode said, String field) {
        return said.path(field).isInt() ? said.path(field).intValue() : null;
    }

    private static Throwable unknown(UUID adapterId) {
        return Problem.of(
                        ErrorCode.NOT_FOUND,
                        "There is no adapter " + adapterId
                                + " for this backend here, or not yet. Try again in a moment.")
                .asException();
    }
}
