package dev.slipway.metering.usage;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import dev.slipway.service.ServiceLevelIndicator;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/** The metrics of usage: facts by outcome, the time until reports are counted, and the facts that wait to be rated. */
public final class UsageMetrics {
    private final Map<Outcome, Counter> facts = new EnumMap<>(Outcome.class);
    private final DoubleSupplier rollupAge;
    private final Clock clock;
    private final Timer ingest;
    private volatile Backlog backlog = new Backlog(0, 0);

    /** The facts without rated lines, and how long the oldest of them has waited. */
    record Backlog(long facts, double oldestSeconds) {}

    /** @param rollupAge the age of the sums in seconds: they are updated with their facts, so it is that of the oldest record that waits */
    public UsageMetrics(MeterRegistry meters, Clock clock, DoubleSupplier rollupAge) {
        this.rollupAge = rollupAge;
        this.clock = clock;
        this.ingest = ServiceLevelIndicator.timer(meters, ServiceLevelIndicator.USAGE_INGEST);
        for (var outcome : Outcome.values()) {
            facts.put(
                    outcome,
                    Counter.builder("slipway.usage.facts")
                            .description("Reported usage facts, by outcome")
                            .tag("outcome", outcome.text())
                            .register(meters));
        }
        Gauge.builder("slipway.usage.unrated", this, metrics -> metrics.backlog.facts)
                .description("Usage facts that have no rated lines yet")
                .register(meters);
        Gauge.builder("slipway.usage.unrated.age", this, metrics -> metrics.backlog.oldestSeconds)
                .description("Time since the oldest fact without rated lines was received")
                .baseUnit("seconds")
                .register(meters);
        Gauge.builder("slipway.usage.rollup.age", this, metrics -> metrics.rollupAge.getAsDouble())
                .description(
                        "Age of the usage sums: for how long the oldest record that they do not contain has waited")
                .baseUnit("seconds")
                .register(meters);
    }

    /** Counts the facts of a transaction when it is committed: a failed attempt is repeated. */
    void count(UnitOfWork unit, List<FactResult> results) {
        unit.afterCommit(() -> {
            for (var outcome : Outcome.values()) {
                var number = results.stream()
                        .filter(result -> result.outcome() == outcome)
                        .count();
                if (number > 0) {
                    Objects.requireNonNull(facts.get(outcome)).increment((double) number);
                }
            }
        });
    }

    /** Records how long each report waited until it was counted, when that is committed. */
    void recordIngest(UnitOfWork unit, Collection<Instant> receivedAt) {
        var times = List.copyOf(receivedAt);
        unit.afterCommit(() -> {
            var now = clock.instant();
            for (var received : times) {
                ingest.record(received.isAfter(now) ? Duration.ZERO : Duration.between(received, now));
            }
        });
    }

    void setBacklog(Backlog current) {
        backlog = current;
    }
}
