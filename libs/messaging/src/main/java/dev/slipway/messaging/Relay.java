package dev.slipway.messaging;

import dev.slipway.telemetry.Traces;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Publishes the outbox of one schema to Kafka: in order per key, at least once.
 *
 * <p>Only the elected leader publishes, because two relays that share the work could reorder the events of a key. The leader is woken in
 * process after a commit, by a throttled NOTIFY from other processes, and by a periodic poll in case a wake-up is lost.
 */
public final class Relay {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final long SAFETY_POLL_MS = 1_000;
    /** An idle relay only polls at every fifth tick: it is woken by events, and few wake-ups are lost. A busy one reads everything then. */
    private static final int RESCAN_TICKS = 5;

    private static final long BACKLOG_INTERVAL_MS = 5_000;
    private static final long STOP_TIMEOUT_MS = 5_000;
    private static final long MAX_BACKOFF_MS = 5_000;
    /** Longer than a busy broker takes to answer, and short enough that a producer that cannot recover is replaced soon. */
    private static final Duration PUBLISH_TIMEOUT = Duration.ofSeconds(45);

    private final Vertx vertx;
    private final Context context;
    private final String source;
    private final String service;
    private final MeterRegistry meters;
    private final Counter failureCounter;
    private final OutboxBacklog backlog;
    private final LeaderElection election;
    private final OutboxPublisher publisher;
    private final PublishPace pace = new PublishPace();
    private final Promise<Void> drained = Promise.promise();

    private @Nullable OutboxReader reader;
    private boolean publishing;
    private boolean wokenMeanwhile;
    private boolean stopping;
    private int consecutiveFailures;
    private int ticksSinceRescan;

    public Relay(
            Vertx vertx,
            PgConnectOptions database,
            KafkaSettings kafka,
            Traces traces,
            MeterRegistry meters,
            String service) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.source = "slipway/" + service;
        this.service = service;
        this.meters = meters;
        this.backlog = new OutboxBacklog(service);
        this.election =
                new LeaderElection(vertx, database, "outbox_" + service.replace('-', '_'), new ElectionListener());
        this.publisher = new OutboxPublisher(vertx, kafka, traces, source, PUBLISH_TIMEOUT);
        this.failureCounter = Counter.builder("slipway.relay.failures")
                .description("Batches that could not be published and are retried")
                .tag("service", service)
                .register(meters);
    }

    /** Starts the election. Neither the database nor the broker needs to be available yet. */
    public void start() {
        Gauge.builder("slipway.relay.leading", election, e -> e.isLeader() ? 1 : 0)
                .description("1 in the process that publishes the outbox; if it is 0 everywhere, nothing is published")
                .tag("service", service)
                .register(meters);
        backlog.registerGauges(meters);
        context.runOnContext(ignored -> election.campaign());
        runPeriodically(SAFETY_POLL_MS, this::poll);
        runPeriodically(BACKLOG_INTERVAL_MS, this::measureBacklog);
    }

    /** Publishes newly committed events soon. Can be called from any thread. */
    public void wake() {
        context.runOnContext(ignored -> {
            if (election.isLeader()) {
                publishPending();
            } else {
                election.notifyLeader();
            }
        });
    }

    /** Publishes the remaining events unless publishing currently fails, then gives up the leadership. */
    public Future<Void> stop() {
        var stopped = Promise.<Void>promise();
        context.runOnContext(ignored -> {
            stopping = true;
            var leading = election.isLeader();
            var last = leading && consecutiveFailures == 0 ? drained.future() : Future.<Void>succeededFuture();
            if (leading) {
                publishPending();
            }
            vertx.setTimer(STOP_TIMEOUT_MS, timer -> drained.tryComplete());
            last.compose(ok -> Future.join(publisher.close(), election.close()).<Void>mapEmpty())
                    .onComplete(stopped);
        });
        return stopped.future();
    }

    private void runPeriodically(long intervalMs, Runnable task) {
        vertx.setPeriodic(intervalMs, timer -> {
            if (stopping) {
                vertx.cancelTimer(timer);
            } else {
                context.runOnContext(ignored -> task.run());
            }
        });
    }

    /** Only the leader reports the backlog, so that it is not counted twice. */
    private void measureBacklog() {
        var connection = election.leaderConnection();
        if (connection == null) {
            backlog.reset();
        } else {
            backlog.measure(connection);
        }
    }

    private void poll() {
        var current = reader;
        if (current == null) {
            election.campaign();
        } else if (++ticksSinceRescan >= RESCAN_TICKS) {
            ticksSinceRescan = 0;
            current.rescanFromStart();
            publishPending();
        } else if (current.hasRecentRows()) {
            publishPending();
        }
    }

    /** Publishes batch after batch until the outbox is empty. At most one batch is in flight, which keeps the order per key. */
    private void publishPending() {
        var current = reader;
        if (publishing || current == null) {
            wokenMeanwhile = true;
            return;
        }
        publishing = true;
        wokenMeanwhile = false;
        pace.onRead(System.nanoTime());
        current.read()
                .compose(batch -> publisher.publish(batch.rows()).map(ok -> {
                    current.delete(batch);
                    return batch;
                }))
                .onSuccess(batch -> {
                    var delayMs = stopping ? 0 : pace.delayMs(batch);
                    if (delayMs > 0) {
                        vertx.setTimer(delayMs, timer -> onPublished(batch));
                    } else {
                        onPublished(batch);
                    }
                })
                .onFailure(this::onFailed);
    }

    private void onPublished(OutboxReader.Batch batch) {
        publishing = false;
        consecutiveFailures = 0;
        if (reader != null && (wokenMeanwhile || batch.isFull())) {
            publishPending();
        } else if (stopping) {
            drained.tryComplete();
        }
    }

    /** Retries after a back-off. {@code publishing} stays true meanwhile, so that no wake-up shortens it. */
    private void onFailed(Throwable cause) {
        consecutiveFailures++;
        failureCounter.increment();
        if (stopping) {
            drained.tryComplete();
            return;
        }
        var delayMs =
                backoffMs(consecutiveFailures) + ThreadLocalRandom.current().nextInt(50);
        LOG.atWarn()
                .addKeyValue("source", source)
                .addKeyValue("retry_in_ms", delayMs)
                .setCause(cause)
                .log("relay failed to publish a batch; retrying");
        vertx.setTimer(delayMs, timer -> {
            publishing = false;
            ticksSinceRescan = RESCAN_TICKS;
            poll();
        });
    }

    /** Returns the pause after the given number of failures in a row, without jitter. */
    static long backoffMs(int failures) {
        return Math.min(MAX_BACKOFF_MS, 100L << Math.min(failures, 6));
    }

    private final class ElectionListener implements LeaderElection.Listener {
        @Override
        public void onElected(PgConnection connection) {
            reader = new OutboxReader(connection);
            publishPending();
        }

        @Override
        public void onLost() {
            reader = null;
            if (publishing) {
                publisher.abort();
            }
        }

        @Override
        public void onNotified() {
            publishPending();
        }
    }
}
