package dev.slipway.instances.launch;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The metrics of policy decisions. */
public record PolicyMetrics(MeterRegistry registry, Timer time, AtomicLong knownUntilNs) {
    private static final String STALE = "policy_stale";

    public static PolicyMetrics register(MeterRegistry registry) {
        var time = Timer.builder("slipway.policy.decision")
                .description("Time to evaluate policy for a launch or a change")
                .tag("service", "instances")
                .publishPercentiles(0.5, 0.99)
                .register(registry);
        var knownUntilNs = new AtomicLong(System.nanoTime());
        Gauge.builder("slipway.policy.age", knownUntilNs, known -> (System.nanoTime() - known.get()) / 1e9)
                .description("Age of the catalog data (policy, registries, versions) in this service")
                .baseUnit("seconds")
                .tag("service", "instances")
                .strongReference(true)
                .register(registry);
        var metrics = new PolicyMetrics(registry, time, knownUntilNs);
        var unused = metrics.refusals(STALE);
        return metrics;
    }

    void recordAge(double seconds) {
        knownUntilNs.set(System.nanoTime() - (long) (seconds * 1e9));
    }

    void recordDecision(@Nullable String refusalCode, long nanos) {
        time.record(nanos, TimeUnit.NANOSECONDS);
        if (refusalCode != null) {
            refusals(refusalCode).increment();
        }
    }

    void recordStale() {
        refusals(STALE).increment();
    }

    private Counter refusals(String reason) {
        return Counter.builder("slipway.policy.refusals")
                .description(
                        "Launches and changes that policy refused, by error code; policy_stale if policy was out of date")
                .tag("service", "instances")
                .tag("reason", reason)
                .register(registry);
    }
}
