package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.FactResult;
import dev.slipway.metering.usage.domain.FactResult.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/** The metrics of usage: facts by outcome, and the facts that wait to be rated. */
public final class UsageMetrics {
    private final Map<Outcome, Counter> facts = new EnumMap<>(Outcome.class);
    private final DoubleSupplier rollupAge;
    private volatile Backlog backlog = new Backlog(0, 0);

    /** The facts without rated lines, and how long the oldest of them has waited. */
    record Backlog(long facts, double oldestSeconds) {}

    /** @param rollupAge the age of the sums in seconds: they are updated with their facts, so it is that of the oldest record that waits */
    public UsageMetrics(MeterRegistry meters, DoubleSupplier rollupAge) {
        this.rollupAge = rollupAge;
        for (var outcome : Outcome.values()) {
            facts.put(
                    outcome,
                    Counter.builder("slipway.usage.facts")
                            .description("Reported usage facts, by outcome")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
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

    void count(List<FactResult> results) {
        for (var outcome : Outcome.values()) {
            var number = results.stream()
                    .filter(result -> result.outcome() == outcome)
                    .count();
            if (number > 0) {
                Objects.requireNonNull(facts.get(outcome)).increment((double) number);
            }
        }
    }

    void setBacklog(Backlog current) {
        backlog = current;
    }
}
