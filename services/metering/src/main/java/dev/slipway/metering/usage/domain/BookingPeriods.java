package dev.slipway.metering.usage.domain;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Set;

/** The months in which usage is booked, and which of them are closed. */
public record BookingPeriods(Set<LocalDate> closed) {

    /** Returns the month of the last instant of a window: a window that ends at midnight belongs to the month before. */
    public static LocalDate monthOf(Instant windowEnd) {
        return windowEnd.minusNanos(1).atZone(ZoneOffset.UTC).toLocalDate().withDayOfMonth(1);
    }

    /** Returns the month in which usage is booked: its own, or the next one that is open. */
    public LocalDate bookingMonth(Instant windowEnd) {
        var month = monthOf(windowEnd);
        while (closed.contains(month)) {
            month = month.plusMonths(1);
        }
        return month;
    }
}
