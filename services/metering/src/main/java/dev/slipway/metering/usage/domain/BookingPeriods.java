package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * The months in which usage is booked.
 *
 * @param lastClosed the last month that is closed, and with it all months before it, whether usage was booked in them or not; null if none is
 */
public record BookingPeriods(@Nullable LocalDate lastClosed) {

    /** Returns the month of the last instant of a window: a window that ends at midnight belongs to the month before. */
    public static LocalDate monthOf(Instant windowEnd) {
        return windowEnd.minusNanos(1).atZone(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
    }

    /** Returns the month in which usage is booked: its own, or the first one that is open if its own is closed. */
    public LocalDate bookingMonth(Instant windowEnd) {
        var month = monthOf(windowEnd);
        return lastClosed == null || month.isAfter(lastClosed) ? month : lastClosed.plusMonths(1);
    }
}
