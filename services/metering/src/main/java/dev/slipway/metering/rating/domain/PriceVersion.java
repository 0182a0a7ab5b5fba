package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A version of the price of a unit. Immutable: a price changes by a further version.
 *
 * @param subject the plan or the organization of the scope; empty for the default
 * @param version counts from 1 per unit, currency, scope and subject
 * @param included the quantity per month that costs nothing
 * @param snapshotAtLaunch if true, an instance is rated at the price that was valid when it was launched
 */
public record PriceVersion(
        UUID id,
        String unit,
        String ratingCategory,
        PriceScope scope,
        String subject,
        int version,
        String currency,
        BigDecimal included,
        List<PriceTier> tiers,
        boolean snapshotAtLaunch,
        Instant validFrom,
        Instant createdAt) {

    public PriceVersion {
        tiers = List.copyOf(tiers);
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("a price needs a tier");
        }
    }

    /** Returns the price of the first unit that is not included. */
    public BigDecimal firstUnitPrice() {
        return tiers.get(0).unitPrice();
    }

    /** Returns the exact amount of a quantity that is used from the beginning of the month. A negative quantity is credited at the first tier's price. */
    public BigDecimal amountOf(BigDecimal quantity) {
        if (quantity.signum() <= 0) {
            return quantity.multiply(firstUnitPrice());
        }
        var payable = quantity.subtract(included).max(BigDecimal.ZERO);
        var amount = BigDecimal.ZERO;
        var from = BigDecimal.ZERO;
        for (var tier : tiers) {
            var end = tier.upTo() == null ? payable : tier.upTo().min(payable);
            if (end.compareTo(from) > 0) {
                amount = amount.add(end.subtract(from).multiply(tier.unitPrice()));
                from = end;
            }
        }
        return amount;
    }
}
