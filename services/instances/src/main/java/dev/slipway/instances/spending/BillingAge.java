package dev.slipway.instances.spending;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.concurrent.atomic.AtomicLong;

/** The metric of the age of the copy of billing. Without a heartbeat it is the time since the process started. */
public record BillingAge(AtomicLong knownUntilNs) {
    public static BillingAge register(MeterRegistry registry) {
        var knownUntilNs = new AtomicLong(System.nanoTime());
        Gauge.builder("slipway.billing.state.age", knownUntilNs, known -> (System.nanoTime() - known.get()) / 1e9)
                .description("Age of the billing data (prices, balances, budgets) in this service")
                .baseUnit("seconds")
                .tag("service", "instances")
                .strongReference(true)
                .register(registry);
        return new BillingAge(knownUntilNs);
    }

    void record(double seconds) {
        knownUntilNs.set(System.nanoTime() - (long) (seconds * 1e9));
    }
}
