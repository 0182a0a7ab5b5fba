package dev.slipway.testkit;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A reproducible stream of usage facts: 30 % duplicates, 5 % conflicts, 5 % corrections and 10 % late facts. The sum is computed without the code
 * under test. Conflicts and corrections refer to earlier facts of the stream, so the facts must be counted in their order.
 *
 * @param name the start of the ids of the facts
 * @param now the end of the latest window
 */
public record UsageFactStream(String name, long seed, Instant now) {
    private static final int LATE_DAYS = 60;

    /** The kinds of facts. */
    public enum Kind {
        ORIGINAL,
        LATE,
        DUPLICATE,
        CONFLICT,
        CORRECTION
    }

    /** A fact as a source reports it: a correction has an adjustment, all others a quantity and a window. */
    public record GeneratedFact(
            String id,
            @Nullable Long quantity,
            @Nullable Long adjustment,
            @Nullable Instant start,
            @Nullable Instant end,
            String resourceId,
            @Nullable String corrects) {}

    /** Returns the quantity that the first facts must add up to, however often they are sent. */
    public long sum(int count) {
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

    /** Returns how many of the first facts must be counted, however often they are sent. */
    public long countDistinct(int count) {
        return IntStream.range(0, count)
                .mapToObj(this::kind)
                .filter(kind -> kind != Kind.DUPLICATE && kind != Kind.CONFLICT)
                .count();
    }

    public Kind kind(int index) {
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

    public GeneratedFact fact(int index) {
        return switch (kind(index)) {
            case ORIGINAL, LATE -> original(index, 0);
            case DUPLICATE -> earlierOriginal(index);
            case CONFLICT -> original(earlier(index), 1);
            case CORRECTION ->
                new GeneratedFact(
                        name + "-c-" + index,
                        null,
                        -1L,
                        null,
                        null,
                        resourceId(earlier(index)),
                        originalId(earlier(index)));
        };
    }

    /** Returns an original that is in the stream before the position. */
    public GeneratedFact earlierOriginal(int index) {
        return original(earlier(index), 0);
    }

    private int earlier(int index) {
        var random = random(index);
        random.nextInt();
        var other = random.nextInt(index);
        while (kind(other) != Kind.ORIGINAL && kind(other) != Kind.LATE) {
            other--;
        }
        return other;
    }

    private Random random(int index) {
        return new Random(seed * 1_000_003 + index * 7_919L);
    }

    private static long quantity(int index) {
        return 1_000L + index % 977;
    }

    private GeneratedFact original(int index, int added) {
        var latest = now.minus(index % 86_400, ChronoUnit.SECONDS);
        var end = kind(index) == Kind.LATE ? latest.minus(LATE_DAYS, ChronoUnit.DAYS) : latest;
        return new GeneratedFact(
                originalId(index), quantity(index) + added, null, end.minusSeconds(1), end, resourceId(index), null);
    }

    private String originalId(int index) {
        return name + "-f-" + index;
    }

    private static String resourceId(int index) {
        return "model-" + index % 20;
    }
}
