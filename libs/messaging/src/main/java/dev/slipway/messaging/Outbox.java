package dev.slipway.messaging;

import dev.slipway.messaging.UnitOfWork.Announcement;
import dev.slipway.telemetry.Traces;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;

/** The only way to change anything: state and what is announced about it commit together, or not at all. */
public final class Outbox {
    private static final RowsStatement APPEND = new RowsStatement(
            """
            INSERT INTO outbox (event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value)
            SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::bytea[])
            """,
            UUID.class,
            String.class,
            String.class,
            String.class,
            OffsetDateTime.class,
            String.class,
            String.class,
            Buffer.class);

    private final Pool pool;
    private final Traces traces;
    private final Clock clock;
    private final Runnable wakeRelay;
    private final Map<String, Consumer<String>> listeners = new HashMap<>();

    public Outbox(Pool pool, Traces traces, Clock clock, Runnable wakeRelay) {
        this.pool = pool;
        this.traces = traces;
        this.clock = clock;
        this.wakeRelay = wakeRelay;
    }

    /** Calls the listener with the key of everything that is announced on the topic from now on, once that is committed. */
    public void onAnnounced(String topic, Consumer<String> listener) {
        listeners.put(topic, listener);
    }

    /** Runs work in a transaction and commits it with all it announced; a failed work leaves nothing behind. */
    public <T> Future<T> transaction(Cause cause, Function<UnitOfWork, Future<T>> work) {
        return pool.getConnection()
                .compose(connection -> run(connection, cause, work).eventually(connection::close));
    }

    private <T> Future<T> run(SqlConnection connection, Cause cause, Function<UnitOfWork, Future<T>> work) {
        // Not awaited: the first statement of the work follows it in the same flight, and fails if this did.
        var begun = connection.query("BEGIN").execute();
        var unit = new UnitOfWork(connection, clock.instant().truncatedTo(ChronoUnit.MICROS), cause);
        Future<T> worked;
        try {
            worked = work.apply(unit);
        } catch (RuntimeException e) {
            worked = Future.failedFuture(e);
        }
        var result = worked;
        return begun.compose(ok -> result)
                .transform(done -> done.succeeded()
                        ? commit(unit).map(ok -> done.result())
                        : rollback(unit).compose(ok -> Future.failedFuture(firstFailure(unit.sent(), done.cause()))));
    }

    private static Future<Void> rollback(UnitOfWork unit) {
        return unit.connection().query("ROLLBACK").execute().<Void>mapEmpty().otherwiseEmpty();
    }

    /** Everything in one flight. If a statement fails, the server turns the commit into a rollback, and we answer with that failure. */
    private Future<Void> commit(UnitOfWork unit) {
        var connection = unit.connection();
        unit.announcements().forEach(announcement -> unit.insertRow(APPEND, row(announcement)));
        unit.sendWrites();
        var results = new ArrayList<>(unit.sent());
        results.add(connection.query("COMMIT").execute());
        return Future.join(results).transform(done -> {
            if (done.failed()) {
                return Future.failedFuture(firstFailure(results, done.cause()));
            }
            if (!unit.announcements().isEmpty()) {
                wakeRelay.run();
                tell(unit.announcements());
            }
            return Future.succeededFuture();
        });
    }

    private void tell(List<Announcement> announcements) {
        if (!listeners.isEmpty()) {
            for (var announcement : announcements) {
                listeners.getOrDefault(announcement.topic(), key -> {}).accept(announcement.key());
            }
        }
    }

    /** After one statement has failed, all others fail too, with a complaint about the transaction: the first one tells why. */
    private static Throwable firstFailure(List<Future<?>> statements, Throwable otherwise) {
        return statements.stream()
                .filter(Future::failed)
                .findFirst()
                .map(Future::cause)
                .orElse(otherwise);
    }

    private @Nullable Object[] row(Announcement announcement) {
        var envelope = announcement.envelope();
        var traceparent = new String[1];
        traces.inject(announcement.cause().trace(), (name, value) -> {
            if (name.equals("traceparent")) {
                traceparent[0] = value;
            }
        });
        return new @Nullable Object[] {
            envelope.eventId(),
            envelope.eventType(),
            announcement.topic(),
            announcement.key(),
            envelope.occurredAt().atOffset(ZoneOffset.UTC),
            envelope.correlationId(),
            traceparent[0],
            announcement.last() ? Buffer.buffer() : Buffer.buffer(envelope.toBytes())
        };
    }
}
