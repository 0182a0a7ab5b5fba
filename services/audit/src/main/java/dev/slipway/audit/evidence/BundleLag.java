package dev.slipway.audit.evidence;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Measures the lag of evidence bundles. Gates are evaluated in the transaction that changes a bundle, so a bundle lags only until its
 * verdict is published to the services that enforce it.
 */
final class BundleLag {
    private static final Logger LOG = LoggerFactory.getLogger(BundleLag.class);

    private final EvidenceStore store;
    private final Clock clock;
    private volatile @Nullable Instant oldestUnpublished;

    BundleLag(EvidenceStore store, Clock clock, MeterRegistry registry) {
        this.store = store;
        this.clock = clock;
        Gauge.builder("slipway.evidence.bundle.lag", this, BundleLag::seconds)
                .description("Age of the oldest verdict of a release that is not published yet; 0 if all are")
                .baseUnit("seconds")
                .register(registry);
    }

    /** Reads the oldest verdict that is not published. If that fails, the last result stays, and its age grows. */
    void measure() {
        store.findOldestUnpublished()
                .onSuccess(oldest -> oldestUnpublished = oldest)
                .onFailure(e -> LOG.atWarn().setCause(e).log("lag of evidence bundles not measured; retrying"));
    }

    private double seconds() {
        var oldest = oldestUnpublished;
        return oldest == null
                ? 0
                : Math.max(0, Duration.between(oldest, clock.instant()).toMillis() / 1e3);
    }
}
