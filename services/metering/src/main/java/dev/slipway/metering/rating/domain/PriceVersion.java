package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
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

    /** Returns the quantities of a month at which the price changes, from the first unit on. */
    List<BigDecimal> boundaries() {
        var boundaries = new ArrayList<>(List.of(BigDecimal.ZERO, included));
        for (var tier : tiers) {
            if (tier.upTo() != null) {
                boundaries.add(included.add(tier.upTo()));
            }
        }
        return boundaries;
    }

    /** Returns the number of the tier of the next unit after a quantity: 0 while units are included. A negative quantity is credited at the first tier. */
    int tierAfter(BigDecimal quantity) {
        if (quantity.signum() < 0) {
            return 1;
        }
        var payable = quantity.subtract(included);
        if (payable.signum() < 0) {
            return 0;
        }
        var tier = 1;
        for (var each : tiers) {
            if (each.upTo() == null || payable.compareTo(each.upTo()) < 0) {
                break;
            }
            tier++;
        }
        return tier;
    }

    /** Returns the price of a unit of a tier, by its number. */
    BigDecimal unitPriceOf(int tier) {
        return tier == 0 ? BigDecimal.ZERO : tiers.get(tier - 1).unitPrice();
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
