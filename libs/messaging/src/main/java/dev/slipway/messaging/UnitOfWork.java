package dev.slipway.messaging;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * One database transaction and its events. Writes whose result is not needed are deferred and sent together with the outbox rows and the
 * commit, so that a mutation costs two round trips.
 */
public final class UnitOfWork implements QueryExecutor {
    private final SqlConnection connection;
    private final Instant now;
    private final ChangeContext context;
    private final TransactionState transactionState;

    /** An event to be appended to the outbox. A tombstone has no value on the topic. */
    record PendingEvent(String topic, String key, Envelope envelope, boolean tombstone, ChangeContext context) {}

    private record TransactionState(
            Map<String, UnaryOperator<ObjectNode>> payloadChecks,
            List<DeferredWrite> writes,
            Map<BatchInsert, List<Object[]>> rows,
            List<Future<?>> statements,
            List<PendingEvent> pendingEvents,
            List<Runnable> beforeCommit,
            List<Runnable> afterCommit) {}

    UnitOfWork(
            SqlConnection connection,
            Instant now,
            ChangeContext changeContext,
            Map<String, UnaryOperator<ObjectNode>> payloadChecks) {
        this(
                connection,
                now,
                changeContext,
                new TransactionState(
                        payloadChecks,
                        new ArrayList<>(),
                        new LinkedHashMap<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new ArrayList<>()));
    }

    private UnitOfWork(
            SqlConnection connection, Instant now, ChangeContext changeContext, TransactionState transactionState) {
        this.connection = connection;
        this.now = now;
        this.context = changeContext;
        this.transactionState = transactionState;
    }

    /** Returns this transaction with another context: a consumer applies many events in one transaction, each with its own context. */
    public UnitOfWork withContext(ChangeContext other) {
        return new UnitOfWork(connection, now, other, transactionState);
    }

    public ChangeContext context() {
        return context;
    }

    /** Returns the time of the transaction, truncated to the microseconds that PostgreSQL stores. */
    public Instant now() {
        return now;
    }

    /** Runs a task when the work has succeeded, before the commit is sent. The task may defer writes and publish events. */
    public void beforeCommit(Runnable task) {
        transactionState.beforeCommit.add(task);
    }

    void runBeforeCommit() {
        transactionState.beforeCommit.forEach(Runnable::run);
    }

    /** Runs a task when the transaction is committed. The task must not fail: nothing can be rolled back any more. */
    public void afterCommit(Runnable task) {
        transactionState.afterCommit.add(task);
    }

    void runAfterCommit() {
        transactionState.afterCommit.forEach(Runnable::run);
    }

    /** Sends the deferred writes and then the statement, which therefore sees their effect. */
    @Override
    public Future<RowSet<Row>> query(String sql, Tuple parameters) {
        sendWrites();
        var result = connection.preparedQuery(sql).execute(parameters);
        transactionState.statements.add(result);
        return result;
    }

    /** Defers a write until the next query or the commit. Writes keep their order. */
    public void write(String sql, Tuple parameters) {
        transactionState.writes.add(new DeferredWrite(sql, parameters, false));
    }

    /**
     * Defers a plain INSERT, like {@link #write}, and merges it with adjacent ones into one statement. It must not read their rows nor use
     * ON CONFLICT.
     */
    public void insert(String sql, Tuple parameters) {
        transactionState.writes.add(new DeferredWrite(sql, parameters, true));
    }

    /** Adds a row to a batch insert, which is sent after the other deferred writes. */
    public void insertRow(BatchInsert statement, @Nullable Object... values) {
        transactionState
                .rows
                .computeIfAbsent(statement, first -> new ArrayList<>())
                .add(values);
    }

    /** Appends an event, which is published after the commit, and returns its id. */
    @CanIgnoreReturnValue
    public UUID publish(String topic, String key, String eventType, ObjectNode payload) {
        var eventId = Ids.next();
        publish(eventId, topic, key, eventType, payload);
        return eventId;
    }

    /** Publishes an event whose id was chosen before. */
    public void publish(UUID eventId, String topic, String key, String eventType, ObjectNode payload) {
        var checked = transactionState
                .payloadChecks
                .getOrDefault(eventType, UnaryOperator.identity())
                .apply(payload);
        var envelope = new Envelope(eventId, eventType, now, 1, context.correlationId(), checked);
        transactionState.pendingEvents.add(new PendingEvent(topic, key, envelope, false, context));
    }

    /** Publishes an event of an earlier transaction again, with the same event id. */
    public void republish(String topic, String key, Envelope envelope) {
        transactionState.pendingEvents.add(new PendingEvent(topic, key, envelope, false, context));
    }

    /** Deletes the records of a key from a compacted topic. */
    public void publishTombstone(String topic, String key, String eventType) {
        var envelope = new Envelope(Ids.next(), eventType, now, 1, context.correlationId(), Json.object());
        transactionState.pendingEvents.add(new PendingEvent(topic, key, envelope, true, context));
    }

    /** Sends the deferred writes without waiting for their results. */
    void sendWrites() {
        transactionState.rows.forEach((statement, rows) -> insert(statement.sql(), statement.parameters(rows)));
        transactionState.rows.clear();
        for (var deferredWrite : DeferredWrite.coalesceInserts(transactionState.writes)) {
            transactionState.statements.add(
                    connection.preparedQuery(deferredWrite.sql()).execute(deferredWrite.parameters()));
        }
        transactionState.writes.clear();
    }

    /** Returns all statements so far. Any failed statement aborts the transaction, even if the work ignored the failure. */
    List<Future<?>> statements() {
        return transactionState.statements;
    }

    List<PendingEvent> pendingEvents() {
        return transactionState.pendingEvents;
    }

    SqlConnection connection() {
        return connection;
    }
}
