package dev.slipway.metering.usage.domain;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The cost of a row of the FOCUS dataset; {@code status} is unrated, unpriced or rated. */
public record FocusCost(String currency, BigDecimal amount, String status) {
    /** ISO 4217 code for transactions without a currency. */
    private static final String NO_CURRENCY = "XXX";

    private static final int SCALE = 12;

    /** The cost of usage that is not rated yet. */
    public static final FocusCost UNRATED = new FocusCost(NO_CURRENCY, BigDecimal.ZERO, "unrated");

    /**
     * The rated usage of a resource in a month.
     *
     * @param priced whether a price applies to any of it
     */
    public record RatedUsage(String currency, BigDecimal quantity, BigDecimal amount, boolean priced) {
        /** Returns the part of the amount that a part of the quantity has: tiers apply to the month, so a day has its average price. */
        public FocusCost costOf(BigDecimal part) {
            var cost = quantity.signum() == 0
                    ? BigDecimal.ZERO
                    : amount.multiply(part)
                            .divide(quantity, SCALE, RoundingMode.HALF_EVEN)
                            .stripTrailingZeros();
            return new FocusCost(currency, cost.signum() == 0 ? BigDecimal.ZERO : cost, priced ? "rated" : "unpriced");
        }
    }
}
