package dev.slipway.metering.usage;

import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the facts that wait to be rated. */
public final class UsageBacklogMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(UsageBacklogMonitor.class);
    private static final long INTERVAL_MS = 15_000;

    private final Vertx vertx;
    private final UsageQueryStore store;
    private final UsageMetrics metrics;

    public UsageBacklogMonitor(Vertx vertx, UsageQueryStore store, UsageMetrics metrics) {
        this.vertx = vertx;
        this.store = store;
        this.metrics = metrics;
    }

    /** Starts to measure periodically, until the verticle is undeployed. */
    public void start() {
        vertx.setPeriodic(INTERVAL_MS, timer -> store.findBacklog()
                .onSuccess(metrics::setBacklog)
                .onFailure(e -> LOG.atWarn().setCause(e).log("unrated facts not counted; retrying in 15 seconds")));
    }
}
