package dev.slipway.service;

import dev.slipway.authz.Decision.Verdict;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts and times the authorization decisions of a service. */
final class AuthorizationMetrics {
    private final Counter allowed;
    private final Counter denied;
    private final Counter stale;
    private final Map<Verdict, Counter> denials;
    private final Timer duration;
    private final Timer indicator;

    AuthorizationMetrics(MeterRegistry registry, String service) {
        allowed = decisions(registry, service, "allowed");
        denied = decisions(registry, service, "denied");
        stale = decisions(registry, service, "stale");
        denials = Arrays.stream(Verdict.values())
                .filter(verdict -> verdict != Verdict.ALLOWED)
                .collect(Collectors.toMap(
                        Function.identity(),
                        verdict -> denials(registry, service, verdict),
                        (one, other) -> one,
                        () -> new EnumMap<>(Verdict.class)));
        duration = Timer.builder("slipway.authorization")
                .description("Time to verify a token and decide")
                .tag("service", service)
                .publishPercentiles(0.5, 0.99)
                .register(registry);
        indicator = ServiceLevelIndicator.timer(registry, ServiceLevelIndicator.AUTHORIZATION);
    }

    void recordDecision(Verdict verdict, long nanos) {
        duration.record(nanos, TimeUnit.NANOSECONDS);
        indicator.record(nanos, TimeUnit.NANOSECONDS);
        var reason = denials.get(verdict);
        if (reason == null) {
            allowed.increment();
        } else {
            denied.increment();
            reason.increment();
        }
    }

    void recordStale() {
        stale.increment();
    }

    private static Counter decisions(MeterRegistry registry, String service, String outcome) {
        return Counter.builder("slipway.decisions")
                .description(
                        "Authorization decisions; stale ones were rejected because permissions were not confirmed in time")
                .tag("service", service)
                .tag("outcome", outcome)
                .register(registry);
    }

    private static Counter denials(MeterRegistry registry, String service, Verdict verdict) {
        return Counter.builder("slipway.denials")
                .description("Denied decisions by reason")
                .tag("service", service)
                .tag("reason", verdict.text())
                .register(registry);
    }
}
