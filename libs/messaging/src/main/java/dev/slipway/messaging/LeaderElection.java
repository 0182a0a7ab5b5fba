package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects one leader per schema with a session-level advisory lock on a dedicated connection.
 *
 * <p>PostgreSQL releases the lock when the connection closes, so a crashed leader is replaced without a timeout. Not thread-safe: call it
 * from one Vert.x context only.
 */
final class LeaderElection {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderElection.class);
    private static final String TRY_LOCK =
            "SELECT pg_try_advisory_lock(hashtextextended(current_schema() || '.outbox', 0)) AS locked";
    /**
     * The leader only deletes published rows. If a database crash undoes a delete, the record is published again and consumers ignore the
     * duplicate, so no commit of this session needs to wait for the disk.
     */
    private static final String RELAX_COMMIT = "SET synchronous_commit = off";

    private static final long NOTIFY_INTERVAL_MS = 10;

    private final Vertx vertx;
    private final PgConnectOptions database;
    private final String channel;
    private final Listener listener;

    private @Nullable PgConnection connection;
    private boolean connecting;
    private boolean notifyScheduled;
    private boolean closed;
    private volatile boolean leading;

    /** Receives leadership changes, on the context that calls the election. */
    interface Listener {
        /** Called with the connection that holds the lock. */
        void onElected(PgConnection connection);

        /** Called when the connection, and with it the lock, is lost. Another process may already lead. */
        void onLost();

        /** Called when another process has committed events. */
        void onNotified();
    }

    LeaderElection(Vertx vertx, PgConnectOptions database, String channel, Listener listener) {
        this.vertx = vertx;
        this.database = database;
        this.channel = channel;
        this.listener = listener;
    }

    /** Connects if necessary and tries to take the lock. Does nothing if this process already leads. */
    void campaign() {
        if (closed) {
            return;
        }
        if (connection == null) {
            connect();
        } else if (!leading) {
            tryLock(connection);
        }
    }

    boolean isLeader() {
        return leading;
    }

    /** Returns the connection that holds the lock, or null if this process does not lead. */
    @Nullable
    PgConnection leaderConnection() {
        return leading ? connection : null;
    }

    /**
     * Wakes the leader in another process. Notifications are throttled because one in every transaction would cost most of the throughput:
     * PostgreSQL serializes commits that notify.
     */
    void notifyLeader() {
        if (notifyScheduled) {
            return;
        }
        notifyScheduled = true;
        vertx.setTimer(NOTIFY_INTERVAL_MS, timer -> {
            notifyScheduled = false;
            var current = connection;
            if (current != null) {
                current.query("NOTIFY " + channel).execute().onFailure(e -> current.close());
            }
        });
    }

    /** Releases the lock by closing the connection. */
    Future<Void> close() {
        closed = true;
        leading = false;
        var current = connection;
        return current == null ? Future.succeededFuture() : current.close();
    }

    private void connect() {
        // A second connection in parallel would be refused the lock that the first one holds, forever.
        if (connecting) {
            return;
        }
        connecting = true;
        PgConnection.connect(vertx, database)
                .onComplete(done -> connecting = false)
                .onSuccess(connected -> {
                    if (closed) {
                        connected.close();
                        return;
                    }
                    connection = connected;
                    connected.closeHandler(ignored -> onClosed(connected));
                    tryLock(connected);
                })
                .onFailure(e ->
                        LOG.atDebug().addKeyValue("channel", channel).log("relay could not connect to the database"));
    }

    private void tryLock(PgConnection current) {
        current.query(TRY_LOCK)
                .execute()
                .compose(rows -> rows.iterator().next().getBoolean("locked")
                        ? current.query("LISTEN " + channel + "; " + RELAX_COMMIT)
                                .execute()
                                .map(true)
                        : Future.succeededFuture(false))
                .onSuccess(locked -> {
                    if (locked && connection == current && !closed && !leading) {
                        leading = true;
                        current.notificationHandler(ignored -> listener.onNotified());
                        listener.onElected(current);
                    }
                })
                .onFailure(e -> current.close());
    }

    private void onClosed(PgConnection lost) {
        if (connection != lost) {
            return;
        }
        connection = null;
        leading = false;
        if (!closed) {
            LOG.atWarn().addKeyValue("channel", channel).log("relay lost its database connection; reconnecting");
        }
        listener.onLost();
    }
}
