package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** Divides running time into hours. The quantities of an interval sum exactly to its rounded total, however it is divided. */
public final class RuntimeHours {
    private static final BigDecimal MICROS_PER_HOUR = new BigDecimal(3_600_000_000L);
    private static final int PRECISION = 6;
    /** Events of the last minutes may still be on their way. */
    private static final Duration GRACE = Duration.ofMinutes(2);
    /** An adapter that is silent for longer is not running. */
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(30);

    /** The most hours of an interval that are emitted at once: an interval can be years long. */
    static final int MAX_HOURS = 24;

    private RuntimeHours() {}

    /** A time in which no adapter of the runtime backend was running. */
    public record Outage(Instant start, Instant end) {}

    /**
     * An interval in which a resource ran.
     *
     * @param end null while it runs
     * @param emittedUntil the end of the last part for which facts exist; null if there are none
     */
    public record RunningInterval(
            Instant start, @Nullable Instant end, @Nullable Instant emittedUntil) {}

    /**
     * The running time in one clock hour.
     *
     * @param hour the number of the hour since 1970, which identifies the bucket in its interval
     * @param quantity hours; negative if the bucket corrects one that was emitted before the end of the interval was known
     */
    public record HourBucket(long hour, Instant start, Instant end, BigDecimal quantity, boolean correction) {}

    /** The buckets to emit, at most {@link #MAX_HOURS} and one more, and up to when they cover the interval. */
    public record Emission(List<HourBucket> buckets, Instant emittedUntil) {}

    /**
     * Returns the next part of an interval that can be emitted.
     *
     * @param confirmedUntil the last heartbeat of an adapter of the backend, or the current time if none ever sent one
     */
    public static Emission emit(RunningInterval interval, Instant confirmedUntil, List<Outage> outages) {
        var from = interval.emittedUntil == null ? interval.start : interval.emittedUntil;
        var end = interval.end;
        if (end != null && end.isBefore(from)) {
            var earliest = from.truncatedTo(ChronoUnit.HOURS).minus(MAX_HOURS, ChronoUnit.HOURS);
            var corrected = end.isBefore(earliest) ? earliest : end;
            return new Emission(corrections(interval.start, end, corrected, from, outages), corrected);
        }
        var confirmed = confirmedUntil.minus(GRACE).truncatedTo(ChronoUnit.HOURS);
        var until = min(
                end != null && !end.isAfter(confirmedUntil) ? end : confirmed,
                from.truncatedTo(ChronoUnit.HOURS).plus(MAX_HOURS, ChronoUnit.HOURS));
        return until.isAfter(from)
                ? new Emission(buckets(interval.start, from, until, outages), until)
                : new Emission(List.of(), from);
    }

    /**
     * Returns the outage that a heartbeat reveals, or null. If its adapter was started clearly after the last heartbeat of the backend, none was
     * running in between.
     *
     * @param lastSeen the last heartbeat of any adapter of the backend; null if there was none
     */
    public static @Nullable Outage findOutage(@Nullable Instant lastSeen, Instant receivedAt, Instant startedAt) {
        if (lastSeen == null) {
            return null;
        }
        var end = min(startedAt, receivedAt); // the adapter's clock may be wrong, the broker's bounds it
        return end.isAfter(lastSeen.plus(HEARTBEAT_TIMEOUT)) ? new Outage(lastSeen, end) : null;
    }

    private static List<HourBucket> buckets(Instant start, Instant from, Instant until, List<Outage> outages) {
        var buckets = new ArrayList<HourBucket>();
        for (var at = from; at.isBefore(until); ) {
            var next = min(at.truncatedTo(ChronoUnit.HOURS).plus(1, ChronoUnit.HOURS), until);
            var quantity = total(start, next, outages).subtract(total(start, at, outages));
            if (quantity.signum() > 0) {
                buckets.add(new HourBucket(hourOf(at), at, next, quantity, false));
            }
            at = next;
        }
        return buckets;
    }

    /** The interval ended earlier than the part that was emitted: reduces the buckets after its end, the latest ones first. */
    private static List<HourBucket> corrections(
            Instant start, Instant end, Instant from, Instant emitted, List<Outage> outages) {
        var corrections = new ArrayList<HourBucket>();
        var first = from.truncatedTo(ChronoUnit.HOURS);
        for (var bucket : buckets(start, first.isBefore(start) ? start : first, emitted, outages)) {
            var remaining =
                    total(start, min(end, bucket.end), outages).subtract(total(start, min(end, bucket.start), outages));
            var difference = remaining.subtract(bucket.quantity);
            if (difference.signum() != 0) {
                corrections.add(new HourBucket(bucket.hour, bucket.start, bucket.end, difference, true));
            }
        }
        return corrections;
    }

    /** Returns the hours from the start of the interval to a time, without outages, rounded. */
    private static BigDecimal total(Instant start, Instant until, List<Outage> outages) {
        var micros = ChronoUnit.MICROS.between(start, until);
        for (var outage : outages) {
            var from = outage.start.isBefore(start) ? start : outage.start;
            var to = min(outage.end, until);
            if (from.isBefore(to)) {
                micros -= ChronoUnit.MICROS.between(from, to);
            }
        }
        return new BigDecimal(micros).divide(MICROS_PER_HOUR, PRECISION, RoundingMode.HALF_UP);
    }

    private static long hourOf(Instant time) {
        return time.getEpochSecond() / 3_600;
    }

    private static Instant min(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
