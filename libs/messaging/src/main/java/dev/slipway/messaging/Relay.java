package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.Outgoing;
import dev.slipway.telemetry.Correlation;
import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Publishes what the outbox holds: in order per key, at least once.
 *
 * <p>One relay per schema leads, by a session advisory lock on its own connection, for two that share the work could reorder a key.
 * Rows are read from the lowest number that can still come (see {@link OutboxFloor}) and deleted once the broker has them; "greater than
 * the last one" would lose rows, as numbers are not in commit order. The leader is woken in process after a commit; by a throttled NOTIFY
 * from other processes (one inside every transaction would cost most of the throughput); and by a slow poll, should a wake-up get lost.
 */
public final class Relay {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final int BATCH = 500;
    /**
     * Where rows come this fast, more are on their way: a moment later they cost one request together instead of one each. It is the
     * rate that tells, not how many there are: after a stall there are many too, and those have waited already.
     */
    private static final double FAST_PER_MS = 1.2;

    private static final int FEW = 16;
    private static final long GATHER_MS = 16;
    private static final long SAFETY_POLL_MS = 1_000;
    private static final long NOTIFY_EVERY_MS = 10;
    private static final String LEAD =
            "SELECT pg_try_advisory_lock(hashtextextended(current_schema() || '.outbox', 0))";
    private static final String READ = """
            SELECT seq, event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value
            FROM outbox WHERE seq > $2 ORDER BY seq LIMIT $1
            """;
    /** A deletion that a crash of the database undoes is a record sent twice, which consumers pass over: not worth a wait for the disk. */
    private static final String UNHURRIED = "SET synchronous_commit = off";

    private static final String DELETE = "DELETE FROM outbox WHERE seq = ANY($1)";
    private static final long MEASURE_EVERY_MS = 5_000;

    private final Vertx vertx;
    private final Context context;
    private final PgConnectOptions database;
    private final KafkaSender sender;
    private final Traces traces;
    private final String source;
    private final String channel;
    private final String service;
    private final MeterRegistry meters;
    private final Counter publishFailures;
    private final OutboxBacklog backlog;

    private @Nullable PgConnection connection;
    private boolean connecting;
    private volatile boolean leading;
    private boolean draining;
    private boolean again;
    private boolean stopping;
    private boolean notifyPlanned;
    private OutboxFloor floor = new OutboxFloor();
    private int failures;
    private long lastReadNanos = System.nanoTime();
    private final Promise<Void> drained = Promise.promise();

    public Relay(
            Vertx vertx,
            PgConnectOptions database,
            KafkaSettings kafka,
            Traces traces,
            MeterRegistry meters,
            String service) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.database = database;
        this.sender = new KafkaSender(vertx, kafka);
        this.traces = traces;
        this.source = "slipway/" + service;
        this.channel = "outbox_" + service.replace('-', '_');
        this.service = service;
        this.meters = meters;
        this.backlog = new OutboxBacklog(service);
        this.publishFailures = Counter.builder("slipway.relay.failures")
                .description("Batches that could not be published and are tried again")
                .tag("service", service)
                .register(meters);
    }

    /** Starts to lead, or to wait for the lead; needs neither the database nor the broker to be there yet. */
    public void start() {
        context.runOnContext(ignored -> connect());
        showLead();
        backlog.show(meters);
        vertx.setPeriodic(MEASURE_EVERY_MS, timer -> {
            if (stopping) {
                vertx.cancelTimer(timer);
            } else {
                context.runOnContext(ignored -> measure());
            }
        });
        vertx.setPeriodic(SAFETY_POLL_MS, SAFETY_POLL_MS, timer -> {
            if (stopping) {
                vertx.cancelTimer(timer);
            } else {
                context.runOnContext(ignored -> tick());
            }
        });
    }

    /** Something was committed: called from any thread. */
    public void wake() {
        context.runOnContext(ignored -> {
            if (leading) {
                drain();
            } else {
                notifyLeader();
            }
        });
    }

    /** Publishes what is there, if it can at once, and lets go of the lead. */
    public Future<Void> stop() {
        var promise = Promise.<Void>promise();
        context.runOnContext(ignored -> {
            stopping = true;
            var last =
                    leading && connection != null && failures == 0 ? drained.future() : Future.<Void>succeededFuture();
            if (leading) {
                drain();
            }
            vertx.setTimer(5_000, timer -> drained.tryComplete());
            last.compose(ok -> letGo()).onComplete(promise);
        });
        return promise.future();
    }

    /** That nobody leads shows, too. */
    private void showLead() {
        Gauge.builder("slipway.relay.leading", this, relay -> relay.leading ? 1 : 0)
                .description("1 where the outbox is published from; with none, nothing is published")
                .tag("service", service)
                .register(meters);
    }

    /** Only who leads shows the backlog, so that it is not counted twice. */
    private void measure() {
        if (connection == null || !leading) {
            backlog.isAnothers();
        } else {
            backlog.measure(connection);
        }
    }

    private void tick() {
        if (connection == null) {
            connect();
        } else if (leading) {
            floor.lookBelow();
            drain();
            raise(connection, floor);
        } else {
            lead();
        }
    }

    private static void raise(PgConnection current, OutboxFloor floor) {
        current.query(OutboxFloor.TRANSACTIONS)
                .execute()
                .onSuccess(rows -> {
                    var row = rows.iterator().next();
                    floor.raise(row.getLong("oldest"), row.getLong("next"));
                })
                .onFailure(e -> current.close());
    }

    private void connect() {
        // One attempt at a time: the first of two connections would keep the lock, and the second be asked to lead, for
        // ever.
        if (stopping || connecting || connection != null) {
            return;
        }
        connecting = true;
        PgConnection.connect(vertx, database)
                .onComplete(done -> connecting = false)
                .onSuccess(connected -> {
                    connection = connected;
                    connected.closeHandler(closed -> lost(connected));
                    lead();
                })
                .onFailure(e -> LOG.atDebug().addKeyValue("source", source).log("relay cannot reach the database"));
    }

    /** A connection that is gone has taken the lock with it: another may lead already, and nothing of ours may come after what it sends. */
    private void lost(PgConnection gone) {
        if (connection == gone) {
            connection = null;
            leading = false;
            if (!stopping) {
                LOG.atWarn().addKeyValue("source", source).log("relay lost its database connection; reconnecting");
            }
            if (draining) {
                sender.abandon();
            }
        }
    }

    private void lead() {
        var current = connection;
        if (current == null || leading) {
            return;
        }
        current.query(LEAD)
                .execute()
                .compose(rows -> rows.iterator().next().getBoolean(0)
                        ? current.query("LISTEN " + channel + "; " + UNHURRIED)
                                .execute()
                                .map(true)
                        : Future.succeededFuture(false))
                .onSuccess(won -> {
                    if (won && connection == current) {
                        leading = true;
                        floor = new OutboxFloor(); // whoever led meanwhile may have left anything behind
                        current.notificationHandler(note -> drain());
                        drain();
                    }
                })
                .onFailure(e -> current.close());
    }

    private void notifyLeader() {
        if (notifyPlanned) {
            return;
        }
        notifyPlanned = true;
        vertx.setTimer(NOTIFY_EVERY_MS, timer -> {
            notifyPlanned = false;
            var current = connection;
            if (current != null) {
                current.query("NOTIFY " + channel).execute().onFailure(e -> current.close());
            }
        });
    }

    private void drain() {
        var current = connection;
        if (draining || current == null) {
            again = true;
            return;
        }
        draining = true;
        again = false;
        var now = System.nanoTime();
        var sinceLastMs = (now - lastReadNanos) / 1e6;
        lastReadNanos = now;
        publishBatch(current).onComplete(done -> {
            if (done.succeeded() && !stopping && comeFast(done.result(), sinceLastMs)) {
                vertx.setTimer(GATHER_MS, timer -> published(done));
            } else {
                published(done);
            }
        });
    }

    private static boolean comeFast(int rows, double withinMs) {
        return rows >= FEW && rows < BATCH && rows >= FAST_PER_MS * withinMs;
    }

    private void published(AsyncResult<Integer> done) {
        if (done.failed()) {
            failed(done.cause());
            return;
        }
        draining = false;
        failures = 0;
        if (leading && (again || done.result() == BATCH)) {
            drain();
        } else if (stopping) {
            drained.tryComplete();
        }
    }

    private Future<Integer> publishBatch(PgConnection current) {
        var above = floor.next();
        return current.preparedQuery(READ).execute(Tuple.of(BATCH, above.seq())).compose(rows -> {
            if (rows.size() == 0) {
                above.publishedAll();
                return Future.succeededFuture(0);
            }
            var sequence = new ArrayList<Long>(rows.size());
            var records = new ArrayList<Outgoing>(rows.size());
            var spans = new ArrayList<Span>(rows.size());
            for (var row : rows) {
                sequence.add(row.getLong("seq"));
                records.add(outgoing(row, spans));
            }
            return sender.send(records)
                    .eventually(() -> {
                        spans.forEach(Span::end);
                        return Future.succeededFuture();
                    })
                    .map(ok -> {
                        delete(current, sequence);
                        above.read(sequence.get(sequence.size() - 1));
                        if (rows.size() < BATCH) {
                            above.publishedAll();
                        }
                        return rows.size();
                    });
        });
    }

    /** Not awaited: the next read follows it on the same connection, and sees what it did. */
    private static void delete(PgConnection current, List<Long> sequence) {
        current.preparedQuery(DELETE)
                .execute(Tuple.of(sequence.toArray(Long[]::new)))
                .onFailure(e -> current.close());
    }

    private Outgoing outgoing(Row row, List<Span> spans) {
        var headers = new HashMap<String, String>();
        var correlationId = row.getString("correlation_id");
        CloudEvents.describe(
                headers,
                source,
                row.getUUID("event_id"),
                row.getString("event_type"),
                row.getString("key"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                correlationId);
        var traceparent = row.getString("traceparent");
        var parent = Correlation.with(
                traces.extract(traceparent == null ? Map.of() : Map.of("traceparent", traceparent)), correlationId);
        var span = traces.start(parent, SpanKind.PRODUCER, "publish " + row.getString("topic"));
        span.setAttribute("messaging.destination.name", row.getString("topic"));
        spans.add(span);
        traces.inject(parent.with(span), headers::put);
        var value = row.getBuffer("value");
        return new Outgoing(
                row.getString("topic"),
                row.getString("key"),
                value.length() == 0 ? null : value.getBytes(), // a tombstone
                headers);
    }

    /** Nothing is sent while it waits, whoever wakes it. */
    private void failed(Throwable cause) {
        failures++;
        publishFailures.increment();
        if (stopping) {
            drained.tryComplete();
            return;
        }
        LOG.atWarn().addKeyValue("source", source).setCause(cause).log("relay could not publish; will try again");
        var delay = Math.min(5_000, 100L << Math.min(failures, 6))
                + ThreadLocalRandom.current().nextInt(50);
        vertx.setTimer(delay, timer -> {
            draining = false;
            tick();
        });
    }

    private Future<Void> letGo() {
        var current = connection;
        leading = false;
        return current == null
                ? sender.close()
                : Future.join(sender.close(), current.close()).mapEmpty();
    }
}
