package dev.slipway.instances.appinstance;

import dev.slipway.instances.appinstance.domain.Decision.Refused;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/** What is shown of policy where it is decided by: how old what is known of it is, how long decisions take, and what was refused. */
public final class PolicyMetrics {
    private static final String STALE = "policy_stale";

    private final MeterRegistry registry;
    private final Timer time;
    private volatile long knownUntilNs = System.nanoTime();

    public PolicyMetrics(MeterRegistry registry) {
        this.registry = registry;
        time = Timer.builder("slipway.policy.decision")
                .description("How long it takes to compute what policy says to a launch or a change")
                .tag("service", "instances")
                .publishPercentiles(0.5, 0.99)
                .register(registry);
        Gauge.builder("slipway.policy.age", this, PolicyMetrics::ageSeconds)
                .description("How long ago all that the catalog says (policy, registries, versions) was known here")
                .baseUnit("seconds")
                .tag("service", "instances")
                .register(registry);
        var unused = refusals(STALE);
    }

    void age(double seconds) {
        knownUntilNs = System.nanoTime() - (long) (seconds * 1e9);
    }

    void decided(@Nullable Refused refusal, long nanos) {
        time.record(nanos, TimeUnit.NANOSECONDS);
        refused(refusal);
    }

    void refused(@Nullable Refused refusal) {
        if (refusal != null) {
            refusals(refusal.code()).increment();
        }
    }

    void stale() {
        refusals(STALE).increment();
    }

    private double ageSeconds() {
        return (System.nanoTime() - knownUntilNs) / 1e9;
    }

    private Counter refusals(String reason) {
        return Counter.builder("slipway.policy.refusals")
                .description(
                        "Launches and changes that policy refused, by the code of why; policy_stale for want of a confirmed one")
                .tag("service", "instances")
                .tag("reason", reason)
                .register(registry);
    }
}
