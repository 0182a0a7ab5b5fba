package dev.slipway.processadapter;

import dev.slipway.adapter.UsageWindow;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Tracks until when an instance's usage is reported.
 *
 * <p>A window is written to disk before it is reported, and again when the report is journaled. After a crash the same window is reported
 * with the same id and is therefore counted once.
 */
final class MeteringState {
    private static final BigDecimal MS_PER_HOUR =
            BigDecimal.valueOf(Duration.ofHours(1).toMillis());
    private static final int PRECISION = 6;

    private @Nullable Instant reportedUntil;
    private @Nullable Instant pendingUntil;
    private Future<?> busy = Future.succeededFuture();

    /** Usage is reported until {@code from}; {@code to} is set while the window in between is being reported. */
    record MeteringMark(Instant from, @Nullable Instant to) {
        String text() {
            return from + "\n" + (to == null ? "" : to + "\n");
        }

        static MeteringMark of(String text) {
            var lines = text.lines().toList();
            return new MeteringMark(Instant.parse(lines.get(0)), lines.size() > 1 ? Instant.parse(lines.get(1)) : null);
        }
    }

    void restore(MeteringMark meteringMark) {
        reportedUntil = meteringMark.from();
        pendingUntil = meteringMark.to();
    }

    @Nullable
    Instant reportedUntil() {
        return reportedUntil;
    }

    @Nullable
    Instant pendingUntil() {
        return pendingUntil;
    }

    void pendingUntil(Instant to) {
        pendingUntil = to;
    }

    void markReported(Instant to) {
        reportedUntil = to;
        pendingUntil = null;
    }

    /** Stops metering. If the instance runs again later, the time in between is not counted. */
    void stop() {
        reportedUntil = null;
    }

    <T> Future<T> runInOrder(Supplier<Future<T>> work) {
        Future<T> result = busy.transform(before -> work.get());
        busy = result;
        return result;
    }

    /** Returns the end of the last complete window before {@code now}; null if there is none. */
    static @Nullable Instant lastWholeWindowEnd(Instant from, Instant now, Duration window) {
        var windows = Duration.between(from, now).dividedBy(window);
        return windows < 1 ? null : from.plus(window.multipliedBy(windows));
    }

    /** Computes hours, rounded so that adjoining windows add up to the rounded total. */
    static UsageWindow createUsage(UUID instance, Instant from, Instant to) {
        return UsageWindow.of(instance, InstanceSpec.UNIT, hours(to).subtract(hours(from)), from, to);
    }

    private static BigDecimal hours(Instant time) {
        return BigDecimal.valueOf(time.toEpochMilli()).divide(MS_PER_HOUR, PRECISION, RoundingMode.DOWN);
    }
}
