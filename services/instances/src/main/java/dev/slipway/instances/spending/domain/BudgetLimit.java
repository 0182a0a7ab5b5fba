package dev.slipway.instances.spending.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * The budget of a project in the current month.
 *
 * @param spent the usage that is booked in the current month
 * @param reserved the part that earlier launches have reserved and not spent yet
 * @param reservationHours a launch reserves its estimated cost of this time
 */
public record BudgetLimit(
        BigDecimal amount, BigDecimal spent, BigDecimal reserved, LimitPolicy atLimit, int reservationHours) {

    /** Returns the budget now; {@code spent} was booked in {@code period} and does not count in another month. */
    public static BudgetLimit of(
            BigDecimal amount,
            BigDecimal spent,
            @Nullable LocalDate period,
            BigDecimal reserved,
            LimitPolicy atLimit,
            int reservationHours,
            Instant now) {
        var current = currentPeriod(now).equals(period) ? spent : BigDecimal.ZERO;
        return new BudgetLimit(amount, current, reserved, atLimit, reservationHours);
    }

    /** Returns the first day of the month. */
    public static LocalDate currentPeriod(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC).withDayOfMonth(1);
    }

    public BigDecimal remaining() {
        return amount.subtract(spent).subtract(reserved);
    }

    /** Returns whether nothing is left, or less than the additional amount. */
    boolean isExceededBy(BigDecimal additional) {
        return remaining().signum() <= 0 || additional.compareTo(remaining()) > 0;
    }

    BigDecimal costOf(CostEstimate estimate) {
        var perHour = estimate.perHour();
        return perHour == null ? BigDecimal.ZERO : perHour.multiply(BigDecimal.valueOf(reservationHours));
    }
}
