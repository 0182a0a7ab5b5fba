package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;

/**
 * The part of the usage of a month that has one unit price, both at the price that applies and at the default price.
 *
 * @param tier {@code included}, or {@code tier-} and the number of the tier of the default price; null if no price applies
 * @param unitPrice the price that applies
 * @param listUnitPrice the default price, which a price for the plan or the organization replaces
 */
public record PricedPart(@Nullable String tier, BigDecimal quantity, BigDecimal unitPrice, BigDecimal listUnitPrice) {

    private record TierPair(int tier, int listTier) {}

    /**
     * Divides the usage of a month at a price wherever one of the unit prices changes. The parts sum to the quantity, and the products of quantity and
     * unit price to the exact amount that {@link PriceVersion#amountOf} rates.
     *
     * @param used the quantity of the month that was rated at earlier prices: tiers continue after it
     */
    static List<PricedPart> divide(
            @Nullable PriceVersion price, @Nullable PriceVersion listPrice, BigDecimal used, BigDecimal quantity) {
        if (price == null || listPrice == null) {
            return List.of(new PricedPart(null, quantity, BigDecimal.ZERO, BigDecimal.ZERO));
        }
        if (quantity.signum() == 0) {
            // The corrections of the month are as large as its usage, so no tier applies. The lines have the first unit
            // price.
            return List.of(part(new TierPair(1, 1), quantity, price, listPrice));
        }
        var from = used.min(used.add(quantity));
        var to = used.max(used.add(quantity));
        var cuts = new TreeSet<BigDecimal>();
        cuts.addAll(price.boundaries());
        cuts.addAll(listPrice.boundaries());
        cuts.removeIf(cut -> cut.compareTo(from) <= 0 || cut.compareTo(to) >= 0);
        cuts.add(to);
        var quantities = new LinkedHashMap<TierPair, BigDecimal>();
        var start = from;
        for (var end : cuts) {
            quantities.merge(
                    new TierPair(price.tierAfter(start), listPrice.tierAfter(start)),
                    quantity.signum() < 0 ? start.subtract(end) : end.subtract(start),
                    BigDecimal::add);
            start = end;
        }
        return quantities.entrySet().stream()
                .map(each -> part(each.getKey(), each.getValue(), price, listPrice))
                .toList();
    }

    private static PricedPart part(TierPair tiers, BigDecimal quantity, PriceVersion price, PriceVersion listPrice) {
        return new PricedPart(
                tiers.listTier == 0 ? "included" : "tier-" + tiers.listTier,
                quantity,
                price.unitPriceOf(tiers.tier),
                listPrice.unitPriceOf(tiers.listTier));
    }
}
