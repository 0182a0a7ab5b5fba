package dev.slipway.metering.usage.domain;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The cost of a row of the FOCUS dataset; {@code status} is unrated, unpriced or rated.
 *
 * @param listAmount the cost at the default price, which a price for the plan or the organization replaces
 */
public record FocusCost(String currency, BigDecimal amount, BigDecimal listAmount, String status) {
    /** ISO 4217 code for transactions without a currency. */
    private static final String NO_CURRENCY = "XXX";

    private static final int SCALE = 12;

    /** The cost of usage that is not rated yet. */
    public static final FocusCost UNRATED = new FocusCost(NO_CURRENCY, BigDecimal.ZERO, BigDecimal.ZERO, "unrated");

    /**
     * The rated usage of a resource in a month.
     *
     * @param listAmount the amount at the default price
     * @param priced whether a price applies to any of it
     */
    public record RatedUsage(
            String currency, BigDecimal quantity, BigDecimal amount, BigDecimal listAmount, boolean priced) {
        /** Returns the part of the amounts that a part of the quantity has: tiers apply to the month, so a day has its average price. */
        public FocusCost costOf(BigDecimal part) {
            return new FocusCost(currency, share(amount, part), share(listAmount, part), priced ? "rated" : "unpriced");
        }

        private BigDecimal share(BigDecimal total, BigDecimal part) {
            var share = quantity.signum() == 0
                    ? BigDecimal.ZERO
                    : total.multiply(part)
                            .divide(quantity, SCALE, RoundingMode.HALF_EVEN)
                            .stripTrailingZeros();
            return share.signum() == 0 ? BigDecimal.ZERO : share;
        }
    }
}
