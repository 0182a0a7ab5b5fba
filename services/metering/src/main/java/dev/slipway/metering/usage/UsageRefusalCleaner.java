package dev.slipway.metering.usage;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;

/** Deletes refusals after 90 days, and the oldest ones of an organization that has very many: a reporter can cause any number of them. */
public final class UsageRefusalCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(UsageRefusalCleaner.class);
    private static final long INTERVAL_MS = 600_000;
    private static final Duration RETENTION = Duration.ofDays(90);
    private static final int MAX_OF_ORGANIZATION = 100_000;

    private final Vertx vertx;
    private final UsageFactStore store;
    private final Clock clock;

    public UsageRefusalCleaner(Vertx vertx, UsageFactStore store, Clock clock) {
        this.vertx = vertx;
        this.store = store;
        this.clock = clock;
    }

    /** Starts to delete periodically, until the verticle is undeployed. */
    public void start() {
        vertx.setPeriodic(INTERVAL_MS, timer -> clean(MAX_OF_ORGANIZATION)
                .onFailure(
                        e -> LOG.atWarn().setCause(e).log("old usage refusals not deleted; retrying in ten minutes")));
    }

    Future<Void> clean(int maxOfOrganization) {
        return store.deleteRefusals(clock.instant().minus(RETENTION), maxOfOrganization);
    }
}
