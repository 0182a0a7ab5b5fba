package dev.slipway.tenants.work;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Claims work and runs several pieces of it at a time. A claim is a lease that is renewed while its work runs, so another process takes over
 * soon after this one has ended. Call all methods on the event loop of the service.
 */
public final class LeasedWork<T> {
    private static final Logger LOG = LoggerFactory.getLogger(LeasedWork.class);
    private static final long POLL_INTERVAL_MS = 1_000;

    private final Vertx vertx;
    private final String kind;
    private final int maxActive;
    private final Duration lease;
    private final Supplier<Future<Boolean>> isPending;
    private final Supplier<Future<@Nullable T>> claim;
    private final Function<T, Future<Void>> renew;
    private final Function<T, Future<Void>> run;
    private int active;
    private boolean stopping;

    /**
     * @param isPending returns false if there is certainly nothing to claim, at less cost than a claim
     * @param claim claims the next piece of work; returns null if there is none
     */
    public LeasedWork(
            Vertx vertx,
            String kind,
            int maxActive,
            Duration lease,
            Supplier<Future<Boolean>> isPending,
            Supplier<Future<@Nullable T>> claim,
            Function<T, Future<Void>> renew,
            Function<T, Future<Void>> run) {
        this.vertx = vertx;
        this.kind = kind;
        this.maxActive = maxActive;
        this.lease = lease;
        this.isPending = isPending;
        this.claim = claim;
        this.renew = renew;
        this.run = run;
    }

    /** Looks for work now, regularly, and whenever {@link #wake} is called. */
    public void start() {
        vertx.setPeriodic(1, POLL_INTERVAL_MS, timer -> {
            if (stopping) {
                vertx.cancelTimer(timer);
            } else {
                wakeIfPending();
            }
        });
    }

    public void stop() {
        stopping = true;
    }

    private void wakeIfPending() {
        isPending
                .get()
                .onSuccess(pending -> {
                    if (pending) {
                        wake();
                    }
                })
                .onFailure(
                        e -> LOG.atWarn().addKeyValue("kind", kind).setCause(e).log("cannot look for work; retrying"));
    }

    /** Starts the next piece of work, if there is one and fewer than the maximum are running. */
    public void wake() {
        if (stopping || active >= maxActive) {
            return;
        }
        active++;
        claim.get()
                .compose(claimed -> {
                    if (claimed == null) {
                        return Future.succeededFuture(false);
                    }
                    wake(); // there may be more
                    return runWhileRenewing(claimed).map(true);
                })
                .onComplete(done -> {
                    active--;
                    if (done.failed()) {
                        LOG.atWarn()
                                .addKeyValue("kind", kind)
                                .setCause(done.cause())
                                .log("claimed work failed; retrying");
                    } else if (done.result()) {
                        wake();
                    }
                });
    }

    /** A step can take longer than a lease. */
    private Future<Void> runWhileRenewing(T claimed) {
        var timer = vertx.setPeriodic(Math.max(1, lease.toMillis() / 3), id -> renew.apply(claimed)
                .onFailure(
                        e -> LOG.atWarn().addKeyValue("kind", kind).setCause(e).log("lease not renewed; retrying")));
        return run.apply(claimed).onComplete(done -> vertx.cancelTimer(timer));
    }
}
