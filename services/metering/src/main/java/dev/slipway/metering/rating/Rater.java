package dev.slipway.metering.rating;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.RatingQueueStore.FactBatch;
import dev.slipway.metering.rating.RatingQueueStore.RatingWork;
import dev.slipway.metering.rating.domain.RatableFact;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

/**
 * Rates facts as they arrive. Each transaction takes a batch of facts, stores their lines and charges and posts them to the ledger: a fact is
 * rated once, whatever fails. A batch that cannot be posted is retried until it can be; nothing is skipped. After some failures its organizations are
 * rated one by one, so that the one that fails does not stop the others.
 */
public final class Rater {
    /** Facts per transaction: it ends after the batch of reported facts that reaches this number. */
    static final int BATCH = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(Rater.class);
    private static final int QUEUE_BATCH = 20;
    private static final long POLL_MS = 1_000;
    /** Facts are gathered for this time, because a small batch costs nearly as much as a large one. */
    private static final long GATHER_MS = 100;

    private static final long MAX_BACKOFF_MS = 30_000;
    /** Failed attempts to rate a batch of many organizations, after which they are rated one by one. */
    private static final int ATTEMPTS_TOGETHER = 3;

    private static final long MEASURE_MS = 5_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private final RatingQueueStore queue;
    private final OrganizationRating rating;
    private final Counter rated;
    private final Counter failures;
    private final AtomicLong unrated = new AtomicLong();
    private final AtomicLong lagMs = new AtomicLong();
    private final AtomicLong failing = new AtomicLong();
    private final AtomicLong unwrittenSinceMs = new AtomicLong();
    private final Deque<Source> turns = new ConcurrentLinkedDeque<>(List.of(Source.values()));
    private int failedTogether;
    private boolean running;
    private boolean woken;
    private boolean scheduled;
    private boolean stopped;

    /** The sources of transactions. They take turns, so that none keeps the others waiting. */
    private enum Source {
        QUEUE,
        MIXED,
        SEPARATED
    }

    /** The source of one transaction; {@code orgId} is null for facts of many organizations. */
    private record RatingTask(Source source, @Nullable UUID orgId) {}

    /**
     * The result of one transaction.
     *
     * @param taken the number of facts and rating keys
     * @param full whether more of them are probably waiting
     * @param posted whether they were rated; otherwise their organizations will be rated one by one
     */
    private record RatedCount(int taken, boolean full, boolean posted) {
        static final RatedCount NOTHING = new RatedCount(0, false, false);
    }

    public Rater(Vertx vertx, Outbox outbox, RatingQueueStore queue, OrganizationRating rating, MeterRegistry meters) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.queue = queue;
        this.rating = rating;
        rated = Counter.builder("slipway.rating.facts")
                .description("Usage facts that were rated and posted to the ledger")
                .register(meters);
        failures = Counter.builder("slipway.rating.failures")
                .description("Batches that could not be rated and posted; each is retried")
                .register(meters);
        Gauge.builder("slipway.rating.unrated", unrated, AtomicLong::doubleValue)
                .description("Usage facts and changed prices that are not rated yet")
                .register(meters);
        Gauge.builder("slipway.rating.lag", lagMs, each -> each.get() / 1e3)
                .description("Time for which the oldest fact has waited to be rated")
                .baseUnit("seconds")
                .register(meters);
        Gauge.builder("slipway.rating.failing", failing, AtomicLong::doubleValue)
                .description("Organizations that could not be rated at the last attempt; each is retried")
                .register(meters);
        Gauge.builder("slipway.ledger.blocked", unwrittenSinceMs, Rater::blockedSeconds)
                .description("Time for which the ledger has not accepted the batch that is being written; 0 if none is")
                .baseUnit("seconds")
                .register(meters);
    }

    public void start() {
        vertx.setPeriodic(POLL_MS, timer -> wakeIfPending());
        vertx.setPeriodic(MEASURE_MS, timer -> measure()
                .onFailure(e -> LOG.atWarn().setCause(e).log("cannot measure the backlog of rating")));
        wake();
    }

    public void stop() {
        stopped = true;
    }

    /** Rates the facts that have been stored together with those of the next moment. Call it on the context of the service. */
    public void wakeSoon() {
        if (!scheduled && !stopped) {
            scheduled = true;
            vertx.setTimer(GATHER_MS, timer -> {
                scheduled = false;
                wake();
            });
        }
    }

    /** Rates at once: prices have changed. Call it on the context of the service. */
    public void wake() {
        woken = true;
        if (!running && !stopped) {
            running = true;
            run(0);
        }
    }

    /** Facts of other processes are found by polling. */
    private void wakeIfPending() {
        if (!running) {
            wake();
        }
    }

    private void run(int failedAttempts) {
        woken = false;
        queue.findWork()
                .onSuccess(work -> {
                    var task = next(work);
                    if (task == null) {
                        if (!work.waiting()) {
                            unwrittenSinceMs.set(0);
                        }
                        finishRun(RatedCount.NOTHING);
                    } else {
                        run(task, failedAttempts);
                    }
                })
                .onFailure(e -> retry(failedAttempts, e));
    }

    private void run(RatingTask task, int failedAttempts) {
        var blockedSince = unwrittenSinceMs.get();
        // Set before the attempt: a write that neither succeeds nor fails is blocked, too. An organization that fails
        // alone does not block the ledger.
        if (task.source == Source.MIXED) {
            unwrittenSinceMs.compareAndSet(0, System.currentTimeMillis());
        }
        rateBatch(task)
                .onSuccess(count -> {
                    unwrittenSinceMs.set(count.posted ? 0 : blockedSince);
                    finishRun(count);
                })
                .onFailure(e -> recover(task, failedAttempts, e));
    }

    private void finishRun(RatedCount count) {
        if ((count.full || woken) && !stopped) {
            run(0);
            return;
        }
        running = false;
        if (count.taken > 0) {
            wakeSoon();
        }
    }

    /** Delays the organization that failed, and continues with the others. */
    private void recover(RatingTask task, int failedAttempts, Throwable failure) {
        var orgId = task.orgId;
        if (orgId == null) {
            failedTogether++;
            retry(failedAttempts, failure);
            return;
        }
        failures.increment();
        LOG.atError()
                .addKeyValue("org_id", orgId)
                .setCause(failure)
                .log("cannot rate the usage of an organization; it is retried, the others continue");
        outbox.<Void>transaction(context(), unit -> {
                    queue.postpone(unit, orgId);
                    return Future.succeededFuture();
                })
                .onSuccess(ok -> finishRun(new RatedCount(0, true, false)))
                .onFailure(e -> retry(failedAttempts, e));
    }

    private void retry(int failedAttempts, Throwable failure) {
        failures.increment();
        var delay = Math.min(MAX_BACKOFF_MS, Duration.ofMillis(250).toMillis() << Math.min(failedAttempts, 10));
        LOG.atError()
                .addKeyValue("retry_in_ms", delay)
                .setCause(failure)
                .log("cannot post rated usage to the ledger; retrying");
        vertx.setTimer(delay, timer -> {
            if (!stopped) {
                run(failedAttempts + 1);
            }
        });
    }

    /** Rates one batch; returns how many facts and rating keys it contained, 0 also if another process is rating. */
    public Future<Integer> rateNext() {
        return queue.findWork().compose(work -> {
            var task = next(work);
            return task == null ? Future.succeededFuture(0) : rateBatch(task).map(RatedCount::taken);
        });
    }

    /** Returns what to rate next: of the sources that have anything, the one that had its last turn first; null if none has. */
    private @Nullable RatingTask next(RatingWork work) {
        for (var source : List.copyOf(turns)) {
            var task =
                    switch (source) {
                        case QUEUE -> work.queuedOrg() == null ? null : new RatingTask(source, work.queuedOrg());
                        case MIXED -> work.facts() ? new RatingTask(source, null) : null;
                        case SEPARATED ->
                            work.separatedOrg() == null ? null : new RatingTask(source, work.separatedOrg());
                    };
            if (task != null) {
                turns.remove(source);
                turns.addLast(source);
                return task;
            }
        }
        return null;
    }

    private Future<RatedCount> rateBatch(RatingTask task) {
        return outbox.transaction(context(), unit -> queue.tryLock(unit)
                .compose(locked -> locked ? rateBatch(unit, task) : Future.succeededFuture(RatedCount.NOTHING)));
    }

    private Future<RatedCount> rateBatch(UnitOfWork unit, RatingTask task) {
        var orgId = task.orgId;
        if (orgId == null) {
            return rateMixed(unit);
        }
        return task.source == Source.QUEUE ? rateQueued(unit, orgId) : rateSeparated(unit, orgId);
    }

    private Future<RatedCount> rateQueued(UnitOfWork unit, UUID orgId) {
        return queue.takeQueued(unit, orgId, QUEUE_BATCH)
                .compose(keys -> keys.isEmpty()
                        ? Future.succeededFuture(RatedCount.NOTHING)
                        : rating.rateAgain(unit, keys).map(ok -> new RatedCount(keys.size(), true, true)));
    }

    private Future<RatedCount> rateSeparated(UnitOfWork unit, UUID orgId) {
        return queue.takeFactsOf(unit, orgId)
                .compose(batch -> batch == null
                        ? Future.succeededFuture(RatedCount.NOTHING)
                        : rating.rate(unit, orgId, batch.period(), batch.facts())
                                .map(ok -> count(unit, batch, true)));
    }

    private Future<RatedCount> rateMixed(UnitOfWork unit) {
        return queue.takeFacts(unit).compose(batch -> {
            if (batch == null) {
                failedTogether = 0;
                return Future.succeededFuture(RatedCount.NOTHING);
            }
            // In the order of their ids, in which all transactions lock organizations.
            var byOrg = batch.facts().stream().collect(groupingBy(RatableFact::orgId, TreeMap::new, toList()));
            if (failedTogether >= ATTEMPTS_TOGETHER) {
                queue.separate(unit, batch, byOrg.keySet());
                unit.afterCommit(() -> failedTogether = 0);
                return Future.succeededFuture(new RatedCount(batch.facts().size(), true, false));
            }
            return queue.findSeparated(unit, byOrg.keySet()).compose(separated -> {
                queue.separate(unit, batch, separated);
                byOrg.keySet().removeAll(separated);
                var chain = Future.<Void>succeededFuture();
                for (var org : byOrg.entrySet()) {
                    chain = chain.compose(ok -> rating.rate(unit, org.getKey(), batch.period(), org.getValue()));
                }
                unit.afterCommit(() -> failedTogether = 0);
                return chain.map(ok -> count(unit, batch, !byOrg.isEmpty()));
            });
        });
    }

    private RatedCount count(UnitOfWork unit, FactBatch batch, boolean posted) {
        var facts = batch.facts().size();
        if (posted) {
            unit.afterCommit(() -> rated.increment(facts));
        }
        return new RatedCount(facts, facts >= BATCH || !posted, posted);
    }

    private static ChangeContext context() {
        return new ChangeContext(Ids.next().toString(), Context.root());
    }

    /** Updates the exposed backlog. */
    Future<Void> measure() {
        return queue.findBacklog()
                .onSuccess(backlog -> {
                    unrated.set(backlog.unrated());
                    lagMs.set((long) (backlog.lagSeconds() * 1e3));
                    failing.set(backlog.failing());
                })
                .mapEmpty();
    }

    private static double blockedSeconds(AtomicLong since) {
        return since.get() == 0 ? 0 : (System.currentTimeMillis() - since.get()) / 1e3;
    }
}
