package dev.slipway.instances.report.domain;

import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Set;

/** The time in which usage was measured. */
public record ReportedUsageWindow(Instant start, Instant end) {
    /** Tolerated difference between the clocks of adapter and platform. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final Duration MAX_LENGTH = Duration.ofDays(31);

    /** Returns why reported usage is not acceptable; null if it is. */
    public static @Nullable Refusal check(
            Instant createdAt,
            @Nullable Instant deletedAt,
            Set<String> units,
            @Nullable String unit,
            @Nullable String windowStart,
            @Nullable String windowEnd,
            Instant now) {
        if (unit == null || !units.contains(unit)) {
            return Refusal.invalid("unit", "is not one of the manifest's usage_units");
        }
        var start = parse(windowStart);
        if (start == null) {
            return Refusal.invalid("window_start", "is not a valid time");
        }
        var end = parse(windowEnd);
        if (end == null) {
            return Refusal.invalid("window_end", "is not a valid time");
        }
        return new ReportedUsageWindow(start, end).check(createdAt, deletedAt, now);
    }

    /** Returns why a quantity cannot be counted; null if it can. A null precision is not known yet. */
    public static @Nullable Refusal checkQuantity(String quantity, @Nullable Integer precision, boolean overlaps) {
        if (precision != null && new BigDecimal(quantity).stripTrailingZeros().scale() > precision) {
            return Refusal.invalid(
                    "quantity", "has more than " + precision + " decimal places, the precision of the unit");
        }
        return overlaps
                ? Refusal.invalid("window_start", "overlaps a window of this unit that has another usage_id")
                : null;
    }

    private @Nullable Refusal check(Instant createdAt, @Nullable Instant deletedAt, Instant now) {
        if (!start.isBefore(end) || Duration.between(start, end).compareTo(MAX_LENGTH) > 0) {
            return Refusal.invalid("window_end", "is not after window_start, or more than 31 days after it");
        }
        if (end.isAfter(now.plus(CLOCK_SKEW))) {
            return Refusal.invalid("window_end", "is in the future");
        }
        if (start.isBefore(createdAt.minus(CLOCK_SKEW))
                || (deletedAt != null && end.isAfter(deletedAt.plus(CLOCK_SKEW)))) {
            return Refusal.invalid("window_start", "is outside the lifetime of the instance");
        }
        return null;
    }

    /** Returns null if the text is not a time: the contract allows leap seconds, Java does not. */
    private static @Nullable Instant parse(@Nullable String text) {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
