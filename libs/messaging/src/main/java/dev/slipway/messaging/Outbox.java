package dev.slipway.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.messaging.UnitOfWork.PendingEvent;
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
import java.util.function.UnaryOperator;

/** Commits state changes and their events in one transaction. Every change of state goes through it. */
public final class Outbox {
    /** Acquires the transaction id before the sequence numbers are assigned, which {@link OutboxWatermark} relies on. */
    private static final BatchInsert APPEND = new BatchInsert(
            """
            INSERT INTO outbox (event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value)
            SELECT event.* FROM pg_current_xact_id(), unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[],
                $7::text[], $8::bytea[]) AS event
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
    private final Map<String, UnaryOperator<ObjectNode>> payloadChecks = new HashMap<>();

    public Outbox(Pool pool, Traces traces, Clock clock, Runnable wakeRelay) {
        this.pool = pool;
        this.traces = traces;
        this.clock = clock;
        this.wakeRelay = wakeRelay;
    }

    /** Calls the listener with the key of every event that is committed for the topic from now on. */
    public void onCommitted(String topic, Consumer<String> listener) {
        listeners.put(topic, listener);
    }

    /** Passes the payload of every event of a type to the check, which can complete it. If it throws, the transaction fails. */
    public void checkPayloads(String eventType, UnaryOperator<ObjectNode> check) {
        payloadChecks.put(eventType, check);
    }

    /** Runs the work in a transaction and commits it with its events. Rolls everything back if the work fails. */
    public <T> Future<T> transaction(ChangeContext changeContext, Function<UnitOfWork, Future<T>> work) {
        return pool.getConnection()
                .compose(connection -> run(connection, changeContext, work).eventually(connection::close));
    }

    private <T> Future<T> run(
            SqlConnection connection, ChangeContext changeContext, Function<UnitOfWork, Future<T>> work) {
        // Not awaited: the first statement of the work is sent right behind it, and fails if BEGIN failed.
        var begun = connection.query("BEGIN").execute();
        var unit = new UnitOfWork(
                connection, clock.instant().truncatedTo(ChronoUnit.MICROS), changeContext, payloadChecks);
        Future<T> outcome;
        try {
            outcome = work.apply(unit);
        } catch (RuntimeException e) {
            outcome = Future.failedFuture(e);
        }
        var result = outcome;
        return begun.compose(ok -> result)
                .transform(done -> done.succeeded()
                        ? commit(unit).map(ok -> done.result())
                        : rollback(unit)
                                .compose(ok -> Future.failedFuture(firstFailure(unit.statements(), done.cause()))));
    }

    private static Future<Void> rollback(UnitOfWork unit) {
        return unit.connection().query("ROLLBACK").execute().<Void>mapEmpty().otherwiseEmpty();
    }

    /** Sends everything in one round trip. If a statement fails, PostgreSQL turns the COMMIT into a ROLLBACK. */
    private Future<Void> commit(UnitOfWork unit) {
        var connection = unit.connection();
        unit.runBeforeCommit();
        unit.pendingEvents().forEach(pendingEvent -> unit.insertRow(APPEND, toRow(pendingEvent)));
        unit.sendWrites();
        var results = new ArrayList<>(unit.statements());
        results.add(connection.query("COMMIT").execute());
        return Future.join(results).transform(done -> {
            if (done.failed()) {
                return Future.failedFuture(firstFailure(results, done.cause()));
            }
            unit.runAfterCommit();
            if (!unit.pendingEvents().isEmpty()) {
                wakeRelay.run();
                notifyListeners(unit.pendingEvents());
            }
            return Future.succeededFuture();
        });
    }

    private void notifyListeners(List<PendingEvent> events) {
        if (!listeners.isEmpty()) {
            for (var pendingEvent : events) {
                listeners.getOrDefault(pendingEvent.topic(), key -> {}).accept(pendingEvent.key());
            }
        }
    }

    /** Returns the first failure: the statements after it only fail because the transaction is aborted. */
    private static Throwable firstFailure(List<Future<?>> statements, Throwable otherwise) {
        return statements.stream()
                .filter(Future::failed)
                .findFirst()
                .map(Future::cause)
                .orElse(otherwise);
    }

    private @Nullable Object[] toRow(PendingEvent pendingEvent) {
        var envelope = pendingEvent.envelope();
        var traceparent = new String[1];
        traces.inject(pendingEvent.context().trace(), (name, value) -> {
            if (name.equals("traceparent")) {
                traceparent[0] = value;
            }
        });
        return new @Nullable Object[] {
            envelope.eventId(),
            envelope.eventType(),
            pendingEvent.topic(),
            pendingEvent.key(),
            envelope.occurredAt().atOffset(ZoneOffset.UTC),
            envelope.correlationId(),
            traceparent[0],
            pendingEvent.tombstone() ? Buffer.buffer() : Buffer.buffer(envelope.toBytes())
        };
    }
}
