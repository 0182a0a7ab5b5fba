package dev.slipway.metering.usage.domain;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.LocalDate;

import static org.assertj.core.api.Assertions.assertThat;

class BookingPeriodsTest {
    private static final LocalDate MARCH = LocalDate.parse("2026-03-01");
    private static final Instant IN_MARCH = Instant.parse("2026-03-10T10:00:00Z");

    @Test
    void monthOf_isTheMonthBefore_whenTheWindowEndsAtMidnight() {
        assertThat(BookingPeriods.monthOf(Instant.parse("2026-04-01T00:00:00Z")))
                .isEqualTo(MARCH);
        assertThat(BookingPeriods.monthOf(Instant.parse("2026-04-01T00:00:00.000001Z")))
                .isEqualTo(MARCH.plusMonths(1));
    }

    @Test
    void bookingMonth_isTheOwnMonth_whenNoneOrOnlyEarlierOnesAreClosed() {
        assertThat(new BookingPeriods(null).bookingMonth(IN_MARCH)).isEqualTo(MARCH);
        assertThat(new BookingPeriods(MARCH.minusMonths(1)).bookingMonth(IN_MARCH))
                .isEqualTo(MARCH);
    }

    @Test
    void bookingMonth_isTheMonthAfterTheLastClosedOne_howeverOldTheUsageIs() {
        assertThat(new BookingPeriods(MARCH).bookingMonth(IN_MARCH)).isEqualTo(MARCH.plusMonths(1));
        var closed = new BookingPeriods(MARCH.plusMonths(30));
        assertThat(closed.bookingMonth(IN_MARCH)).isEqualTo(MARCH.plusMonths(31));
        assertThat(closed.bookingMonth(Instant.parse("1990-01-01T10:00:00Z"))).isEqualTo(MARCH.plusMonths(31));
    }
}
