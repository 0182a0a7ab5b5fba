package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * The fields of a usage fact that rating needs.
 *
 * @param quantity negative only for corrections
 * @param windowEnd exclusive
 * @param period the first day of the month in which the fact is booked
 */
public record RatableFact(
        UUID orgId,
        String unit,
        BigDecimal quantity,
        Instant windowStart,
        Instant windowEnd,
        LineGroup group,
        LocalDate period) {

    /** Returns the first day of the month of the usage: that of the last instant of the window. */
    public LocalDate usageMonth() {
        return LocalDate.ofInstant(windowEnd.minus(1, ChronoUnit.MICROS), ZoneOffset.UTC)
                .withDayOfMonth(1);
    }

    public RatingKey ratingKey() {
        return new RatingKey(orgId, unit, usageMonth());
    }
}
