package dev.slipway.metering.rating;

import dev.slipway.contract.Ids;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.RatableFact;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

/**
 * Rates facts as they arrive. Each transaction takes a batch of facts, stores their lines and charges and posts them to the ledger: a fact is
 * rated once, whatever fails. A batch that cannot be posted is retried until it can be; nothing is skipped.
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
    private static final long MEASURE_MS = 5_000;

    private final Vertx vertx;
    private final Outbox outbox;
    private final RatingStore store;
    private final OrganizationRating rating;
    private final Counter rated;
    private final Counter failures;
    private final AtomicLong unrated = new AtomicLong();
    private final AtomicLong lagMs = new AtomicLong();
    private final AtomicLong unwrittenSinceMs = new AtomicLong();
    private boolean running;
    private boolean woken;
    private boolean scheduled;
    private boolean stopped;

    /**
     * The result of one transaction.
     *
     * @param rated the number of facts and rating keys
     * @param full whether more of them are probably waiting
     */
    private record RatedCount(int rated, boolean full) {}

    public Rater(Vertx vertx, Outbox outbox, RatingStore store, OrganizationRating rating, MeterRegistry meters) {
        this.vertx = vertx;
        this.outbox = outbox;
        this.store = store;
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
            store.isPending()
                    .onSuccess(pending -> {
                        if (pending) {
                            wake();
                        }
                    })
                    .onFailure(e -> LOG.atWarn().setCause(e).log("cannot look for facts to rate; retrying"));
        }
    }

    private void run(int failedAttempts) {
        woken = false;
        // Set before the attempt: a write that neither succeeds nor fails is blocked, too.
        unwrittenSinceMs.compareAndSet(0, System.currentTimeMillis());
        rateBatch()
                .onSuccess(count -> {
                    unwrittenSinceMs.set(0);
                    if ((count.full || woken) && !stopped) {
                        run(0);
                        return;
                    }
                    running = false;
                    if (count.rated > 0) {
                        wakeSoon();
                    }
                })
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
        return rateBatch().map(RatedCount::rated);
    }

    private Future<RatedCount> rateBatch() {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> store.tryLock(unit)
                .compose(locked -> locked ? rateBatch(unit) : Future.succeededFuture(new RatedCount(0, false))));
    }

    private Future<RatedCount> rateBatch(UnitOfWork unit) {
        return store.takeQueued(unit, QUEUE_BATCH)
                .compose(keys -> keys.isEmpty()
                        ? rateFacts(unit).map(count -> new RatedCount(count, count >= BATCH))
                        // Facts may be waiting, too.
                        : rating.rateAgain(unit, keys).map(ok -> new RatedCount(keys.size(), true)));
    }

    private Future<Integer> rateFacts(UnitOfWork unit) {
        return store.takeUnrated(unit).compose(facts -> {
            if (facts.isEmpty()) {
                return Future.succeededFuture(0);
            }
            // In the order of their ids, in which all transactions lock organizations.
            var byOrg = facts.stream().collect(groupingBy(RatableFact::orgId, TreeMap::new, toList()));
            var period = facts.get(0).period();
            var chain = Future.<Void>succeededFuture();
            for (var org : byOrg.entrySet()) {
                chain = chain.compose(ok -> rating.rate(unit, org.getKey(), period, org.getValue()));
            }
            return chain.map(ok -> {
                rated.increment(facts.size());
                return facts.size();
            });
        });
    }

    /** Updates the exposed backlog. */
    Future<Void> measure() {
        return store.findBacklog()
                .onSuccess(backlog -> {
                    unrated.set(backlog.unrated());
                    lagMs.set((long) (backlog.lagSeconds() * 1e3));
                })
                .mapEmpty();
    }

    private static double blockedSeconds(AtomicLong since) {
        return since.get() == 0 ? 0 : (System.currentTimeMillis() - since.get()) / 1e3;
    }
}
