package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import dev.slipway.testkit.UsageFactStream;
import dev.slipway.testkit.UsageFactStream.GeneratedFact;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/** Generated facts of a source, as the ingest receives them. */
record GeneratedFacts(String source, UsageFactStream stream) {
    GeneratedFacts(String source, long seed, Instant now) {
        this(source, new UsageFactStream(source, seed, now));
    }

    List<ScopedFact> batch(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(index -> new ScopedFact(
                        toReported(stream.fact(index)),
                        new ProjectReporter(UsageFixture.ORG, UsageFixture.PROJECT),
                        "test",
                        null,
                        null))
                .toList();
    }

    /** Returns the quantity that the first facts must add up to, however often they are sent. */
    long sum(int count) {
        return stream.sum(count);
    }

    private ReportedFact toReported(GeneratedFact fact) {
        return new ReportedFact(
                source,
                fact.id(),
                fact.corrects() == null ? "token" : null,
                null,
                decimal(fact.quantity()),
                decimal(fact.adjustment()),
                fact.start(),
                fact.end(),
                null,
                FactAttribution.ofResource("model", fact.resourceId()),
                "correlation",
                fact.corrects());
    }

    private static @Nullable BigDecimal decimal(@Nullable Long value) {
        return value == null ? null : BigDecimal.valueOf(value);
    }
}
