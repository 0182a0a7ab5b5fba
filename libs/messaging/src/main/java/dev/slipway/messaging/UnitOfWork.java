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

/**
 * One database transaction and what it announces. Writes whose result nobody reads are deferred: they go to the server in one flight
 * with the outbox rows and the commit, so that a mutation costs two round trips.
 */
public final class UnitOfWork implements Queries {
    private final SqlConnection connection;
    private final Instant now;
    private final Cause cause;
    private final State state;

    /** {@code last} where nothing is left to be told under the key. */
    record Announcement(String topic, String key, Envelope envelope, boolean last, Cause cause) {}

    private record State(
            List<Write> writes,
            Map<RowsStatement, List<Object[]>> rows,
            List<Future<?>> sent,
            List<Announcement> announcements) {}

    UnitOfWork(SqlConnection connection, Instant now, Cause cause) {
        this(
                connection,
                now,
                cause,
                new State(new ArrayList<>(), new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>()));
    }

    private UnitOfWork(SqlConnection connection, Instant now, Cause cause, State state) {
        this.connection = connection;
        this.now = now;
        this.cause = cause;
        this.state = state;
    }

    /** The same transaction, doing something for another reason: a consumer applies many events in one, each of them somebody's. */
    public UnitOfWork because(Cause other) {
        return new UnitOfWork(connection, now, other, state);
    }

    public Cause cause() {
        return cause;
    }

    /** The time of everything in this transaction, to the microsecond that the database keeps. */
    public Instant now() {
        return now;
    }

    /** Runs a statement now, after the writes that were called for before it: it sees them. */
    @Override
    public Future<RowSet<Row>> query(String sql, Tuple parameters) {
        sendWrites();
        var asked = connection.preparedQuery(sql).execute(parameters);
        state.sent.add(asked);
        return asked;
    }

    /** Has a write run, in the order of the calls, before the next query or the commit. */
    public void write(String sql, Tuple parameters) {
        state.writes.add(new Write(sql, parameters, false));
    }

    /**
     * As {@link #write}, for a plain INSERT, which goes to the server with those next to it: it must not look for what they insert, nor
     * give way where something is there already.
     */
    public void insert(String sql, Tuple parameters) {
        state.writes.add(new Write(sql, parameters, true));
    }

    /** Has a row inserted with the others of its kind, behind the other writes and before the next query or the commit. */
    public void insertRow(RowsStatement statement, @Nullable Object... values) {
        state.rows.computeIfAbsent(statement, first -> new ArrayList<>()).add(values);
    }

    /** Announces a fact, published after the commit; answers its event id. */
    @CanIgnoreReturnValue
    public UUID announce(String topic, String key, String eventType, ObjectNode payload) {
        var envelope = new Envelope(Ids.next(), eventType, now, 1, cause.correlationId(), payload);
        state.announcements.add(new Announcement(topic, key, envelope, false, cause));
        return envelope.eventId();
    }

    /** Publishes once more what was announced in an earlier transaction, under its own id. */
    public void announceAgain(String topic, String key, Envelope envelope) {
        state.announcements.add(new Announcement(topic, key, envelope, false, cause));
    }

    /** Has a compacted topic forget what it holds under the key: for what has no meaning to anyone any more. */
    public void forget(String topic, String key, String eventType) {
        var envelope = new Envelope(Ids.next(), eventType, now, 1, cause.correlationId(), Json.object());
        state.announcements.add(new Announcement(topic, key, envelope, true, cause));
    }

    /** Sends what was deferred, without waiting. */
    void sendWrites() {
        state.rows.forEach((statement, rows) -> insert(statement.sql(), statement.parameters(rows)));
        state.rows.clear();
        for (var write : Write.together(state.writes)) {
            state.sent.add(connection.preparedQuery(write.sql()).execute(write.parameters()));
        }
        state.writes.clear();
    }

    /** Every statement so far: one that failed has broken the transaction, even where the work made light of it. */
    List<Future<?>> sent() {
        return state.sent;
    }

    List<Announcement> announcements() {
        return state.announcements;
    }

    SqlConnection connection() {
        return connection;
    }
}
