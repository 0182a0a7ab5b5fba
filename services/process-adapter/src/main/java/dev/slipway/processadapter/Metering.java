package dev.slipway.processadapter;

import dev.slipway.adapter.Usage;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Until when an instance's time is reported, and what comes next.
 *
 * <p>A window is put on record before it is reported, and again when the report is safe. So after a crash the very same window is reported
 * again, under the same id, and is counted once.
 */
final class Metering {
    private static final BigDecimal MS_PER_HOUR =
            BigDecimal.valueOf(Duration.ofHours(1).toMillis());
    private static final int PRECISION = 6;

    private @Nullable Instant until;
    private @Nullable Instant pending;
    private Future<?> busy = Future.succeededFuture();

    /** All is reported until {@code from}; {@code to} is set while the time between is being reported. */
    record Mark(Instant from, @Nullable Instant to) {
        String text() {
            return from + "\n" + (to == null ? "" : to + "\n");
        }

        static Mark of(String text) {
            var lines = text.lines().toList();
            return new Mark(Instant.parse(lines.get(0)), lines.size() > 1 ? Instant.parse(lines.get(1)) : null);
        }
    }

    /** What was on record. */
    void restore(Mark mark) {
        until = mark.from();
        pending = mark.to();
    }

    @Nullable
    Instant until() {
        return until;
    }

    @Nullable
    Instant pending() {
        return pending;
    }

    void pending(Instant to) {
        pending = to;
    }

    void reported(Instant to) {
        until = to;
        pending = null;
    }

    /** It runs no more: if it ever does again, what was between is not used. */
    void stop() {
        until = null;
    }

    /** One window after another. */
    <T> Future<T> inOrder(Supplier<Future<T>> work) {
        Future<T> result = busy.transform(before -> work.get());
        busy = result;
        return result;
    }

    /** The end of the last whole window before now; null while there is none. */
    static @Nullable Instant wholeWindows(Instant from, Instant now, Duration window) {
        var windows = Duration.between(from, now).dividedBy(window);
        return windows < 1 ? null : from.plus(window.multipliedBy(windows));
    }

    /** Hours, rounded so that adjoining windows add up to the rounded whole. */
    static Usage usage(UUID instance, Instant from, Instant to) {
        return Usage.of(instance, Spec.UNIT, hours(to).subtract(hours(from)), from, to);
    }

    private static BigDecimal hours(Instant time) {
        return BigDecimal.valueOf(time.toEpochMilli()).divide(MS_PER_HOUR, PRECISION, RoundingMode.DOWN);
    }
}
