package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.FactAttribution;
import dev.slipway.metering.usage.domain.ReportedFact;
import dev.slipway.metering.usage.domain.ReporterScope.ProjectReporter;
import dev.slipway.metering.usage.domain.ScopedFact;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A reproducible stream of facts: 30 % duplicates, 5 % conflicts, 5 % corrections and 10 % late facts. The sum is computed without the code
 * under test.
 */
record GeneratedFacts(String source, long seed, Instant now) {
    private static final int LATE_DAYS = 60;

    private enum Kind {
        ORIGINAL,
        LATE,
        DUPLICATE,
        CONFLICT,
        CORRECTION
    }

    List<ScopedFact> batch(int first, int count) {
        var facts = new ArrayList<ScopedFact>(count);
        for (var i = first; i < first + count; i++) {
            facts.add(new ScopedFact(
                    fact(i), new ProjectReporter(UsageFixture.ORG, UsageFixture.PROJECT), "test", null, null));
        }
        return facts;
    }

    /** Returns the quantity that the first facts must add up to, however often they are sent. */
    long sum(int count) {
        var sum = 0L;
        for (var i = 0; i < count; i++) {
            sum += switch (kind(i)) {
                case ORIGINAL, LATE -> quantity(i);
                case CORRECTION -> -1;
                case DUPLICATE, CONFLICT -> 0;
            };
        }
        return sum;
    }

    private Kind kind(int index) {
        if (index < 10) {
            return Kind.ORIGINAL;
        }
        var percent = random(index).nextInt(100);
        return percent < 30
                ? Kind.DUPLICATE
                : percent < 35
                        ? Kind.CONFLICT
                        : percent < 40 ? Kind.CORRECTION : percent < 50 ? Kind.LATE : Kind.ORIGINAL;
    }

    private Random random(int index) {
        return new Random(seed * 1_000_003 + index * 7_919L);
    }

    private static long quantity(int index) {
        return 1_000L + index % 977;
    }

    private ReportedFact fact(int index) {
        return switch (kind(index)) {
            case ORIGINAL, LATE -> original(index, 0);
            case DUPLICATE -> original(earlier(index), 0);
            case CONFLICT -> original(earlier(index), 1);
            case CORRECTION ->
                fact("c-" + index, null, BigDecimal.ONE.negate(), null, "f-" + earlier(index), earlier(index));
        };
    }

    /** Returns an original before the given position. */
    private int earlier(int index) {
        var random = random(index);
        random.nextInt();
        var other = random.nextInt(index);
        while (kind(other) != Kind.ORIGINAL && kind(other) != Kind.LATE) {
            other--;
        }
        return other;
    }

    private ReportedFact original(int index, int added) {
        var end = now.minus(index % 86_400, ChronoUnit.SECONDS);
        var late = kind(index) == Kind.LATE ? end.minus(LATE_DAYS, ChronoUnit.DAYS) : end;
        return fact("f-" + index, new BigDecimal(quantity(index) + added), null, late, null, index);
    }

    private ReportedFact fact(
            String id,
            @Nullable BigDecimal quantity,
            @Nullable BigDecimal adjustment,
            @Nullable Instant end,
            @Nullable String corrects,
            int index) {
        return new ReportedFact(
                source,
                id,
                corrects == null ? "token" : null,
                null,
                quantity,
                adjustment,
                end == null ? null : end.minusSeconds(1),
                end,
                null,
                FactAttribution.ofResource("model", "model-" + index % 20),
                "correlation",
                corrects);
    }
}
