package dev.slipway.metering.ledger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Checks the invariants of the ledger continuously: debits equal credits, no orphans, nothing posted twice, nothing missing. */
public final class LedgerMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerMonitor.class);
    private static final long INTERVAL_MS = 300_000;

    private final Vertx vertx;
    private final LedgerStore store;
    private final AtomicLong violations = new AtomicLong();

    public LedgerMonitor(Vertx vertx, LedgerStore store, MeterRegistry meters) {
        this.vertx = vertx;
        this.store = store;
        Gauge.builder("slipway.ledger.violations", violations, AtomicLong::doubleValue)
                .description("Violated invariants of the ledger, as of the last check")
                .register(meters);
    }

    public void start() {
        vertx.setPeriodic(INTERVAL_MS, timer -> check().onFailure(
                        e -> LOG.atWarn().setCause(e).log("cannot check the ledger; retrying in five minutes")));
    }

    /** Counts the violations of each invariant. */
    public Future<Map<String, Long>> check() {
        return store.check().onSuccess(found -> {
            var sum = found.values().stream().mapToLong(Long::longValue).sum();
            violations.set(sum);
            if (sum > 0) {
                LOG.atError().addKeyValue("violations", found).log("ledger is inconsistent");
            }
        });
    }
}
