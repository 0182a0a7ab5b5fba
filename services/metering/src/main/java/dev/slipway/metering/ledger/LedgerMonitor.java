package dev.slipway.metering.ledger;

import dev.slipway.metering.ledger.LedgerStore.CheckedSlice;
import dev.slipway.service.consistency.ConsistencyCheck;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks the invariants of the ledger continuously, in slices: those of open periods, and those of the transactions that were posted since the last
 * check. The consistency checks of the service repeat all of it, less often.
 */
public final class LedgerMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerMonitor.class);
    private static final long INTERVAL_MS = 300_000;
    private static final int SLICE_ROWS = 500;

    private final Vertx vertx;
    private final LedgerStore store;
    private final AtomicLong violations = new AtomicLong();
    private final AtomicLong completedMs = new AtomicLong(System.currentTimeMillis());
    private boolean running;
    /** The transactions until the first key were posted before the check before the last: a transaction with an earlier id may be committed later. */
    private String startAfter = "";

    private String lastChecked = "";

    public LedgerMonitor(Vertx vertx, LedgerStore store, MeterRegistry meters) {
        this.vertx = vertx;
        this.store = store;
        Gauge.builder("slipway.ledger.violations", violations, AtomicLong::doubleValue)
                .description("Violated invariants of the ledger, as of the last check")
                .register(meters);
        Gauge.builder("slipway.ledger.check.age", completedMs, each -> (System.currentTimeMillis() - each.get()) / 1e3)
                .description("Time since the last complete check of the ledger, or since the start")
                .baseUnit("seconds")
                .register(meters);
    }

    public void start() {
        checkInBackground();
        vertx.setPeriodic(INTERVAL_MS, timer -> checkInBackground());
    }

    private void checkInBackground() {
        if (!running) {
            running = true;
            check().onFailure(e -> LOG.atWarn().setCause(e).log("cannot check the ledger; retrying in five minutes"))
                    .onComplete(done -> running = false);
        }
    }

    /** Counts the violations of each invariant. */
    public Future<Map<String, Long>> check() {
        var found = new LinkedHashMap<String, Long>();
        var chain = Future.<Void>succeededFuture();
        for (var check : LedgerInvariantStore.continuousChecks()) {
            var isOfTransactions = check.name().equals(LedgerInvariantStore.TRANSACTIONS_CHECK);
            chain = chain.compose(ok -> checkSlices(check, isOfTransactions ? startAfter : "", 0))
                    .map(result -> {
                        found.put(check.name(), result.differences());
                        if (isOfTransactions && result.differences() == 0) {
                            startAfter = lastChecked;
                            lastChecked = result.lastKey();
                        }
                        return null;
                    });
        }
        return chain.map(ok -> {
            report(found);
            return found;
        });
    }

    private void report(Map<String, Long> found) {
        var sum = found.values().stream().mapToLong(Long::longValue).sum();
        violations.set(sum);
        completedMs.set(System.currentTimeMillis());
        if (sum > 0) {
            LOG.atError().addKeyValue("violations", found).log("ledger is inconsistent");
        }
    }

    private Future<CheckedSlice> checkSlices(ConsistencyCheck check, String after, long before) {
        return store.check(check, after, SLICE_ROWS).compose(slice -> {
            var differences = before + slice.differences();
            return slice.isLast()
                    ? Future.succeededFuture(new CheckedSlice(differences, slice.lastKey(), true))
                    : checkSlices(check, slice.lastKey(), differences);
        });
    }
}
