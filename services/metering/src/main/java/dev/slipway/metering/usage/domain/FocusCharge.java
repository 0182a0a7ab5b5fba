package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.metering.rating.domain.Allocation;
import dev.slipway.metering.rating.domain.PricedPart;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The quantity and the cost of a row of the FOCUS dataset: usage at one unit price.
 *
 * @param billed the part of the amount that is charged, which is rounded to the currency
 * @param unitPrice the price that applies to the organization
 * @param listUnitPrice the default price, which a price for the plan or the organization replaces
 * @param tier the tier of the default price; null if no price applies or is known yet
 * @param priceId the version of the price; null as the tier
 */
public record FocusCharge(
        String currency,
        BigDecimal quantity,
        BigDecimal billed,
        BigDecimal unitPrice,
        BigDecimal listUnitPrice,
        @Nullable String tier,
        @Nullable UUID priceId,
        CostStatus status) {
    /** The states of a charge: without a rating, without a price, or with both. */
    public enum CostStatus implements TextEnum {
        UNRATED,
        UNPRICED,
        RATED
    }

    /** Parts of quantities and amounts that are not exact decimals are rounded to this number of decimals. */
    private static final int DIGITS = 12;

    /**
     * The rated usage of a resource in a month at one price.
     *
     * @param parts the usage of the whole organization at this price, by unit price
     */
    public record RatedUsage(
            String currency,
            BigDecimal quantity,
            BigDecimal amount,
            @Nullable UUID priceId,
            List<PricedPart> parts) {
        public RatedUsage {
            parts = List.copyOf(parts);
        }
    }

    /** Returns usage that is not rated yet: it has no cost in the currency of the account. */
    public static FocusCharge unrated(String currency, BigDecimal quantity) {
        return new FocusCharge(
                currency, quantity, BigDecimal.ZERO, BigDecimal.ZERO, BigDecimal.ZERO, null, null, CostStatus.UNRATED);
    }

    /**
     * Divides a part of the usage of a month by unit prices. Tiers apply to the usage of the whole organization in the month, so each part of it
     * has them in the same proportion. The quantities sum exactly to the quantity, and the billed amounts to the part of the amount.
     */
    public static List<FocusCharge> divide(RatedUsage usage, BigDecimal quantity) {
        var parts = usage.parts;
        var quantities = parts.size() == 1
                ? List.of(quantity)
                : Allocation.allocate(
                        quantity,
                        parts.stream().map(PricedPart::quantity).toList(),
                        Math.max(DIGITS, quantity.scale()));
        var costs = new ArrayList<BigDecimal>();
        for (var i = 0; i < parts.size(); i++) {
            costs.add(parts.get(i).unitPrice().multiply(quantities.get(i)));
        }
        var billed = divideBilled(share(usage, quantity), costs);
        var charges = new ArrayList<FocusCharge>();
        for (var i = 0; i < parts.size(); i++) {
            if (quantities.get(i).signum() != 0 || billed.get(i).signum() != 0 || parts.size() == 1) {
                charges.add(charge(usage, parts.get(i), quantities.get(i), billed.get(i)));
            }
        }
        return charges;
    }

    /** Returns the exact cost at the price that applies. */
    BigDecimal contractedCost() {
        return unitPrice.multiply(quantity);
    }

    /** Returns the exact cost at the default price. */
    BigDecimal listCost() {
        return listUnitPrice.multiply(quantity);
    }

    private static FocusCharge charge(RatedUsage usage, PricedPart part, BigDecimal quantity, BigDecimal billed) {
        return new FocusCharge(
                usage.currency,
                quantity,
                billed,
                part.unitPrice(),
                part.listUnitPrice(),
                part.tier(),
                usage.priceId,
                part.tier() == null ? CostStatus.UNPRICED : CostStatus.RATED);
    }

    private static BigDecimal share(RatedUsage usage, BigDecimal quantity) {
        return usage.quantity.signum() == 0
                ? BigDecimal.ZERO
                : usage.amount.multiply(quantity).divide(usage.quantity, DIGITS, RoundingMode.HALF_EVEN);
    }

    private static List<BigDecimal> divideBilled(BigDecimal billed, List<BigDecimal> costs) {
        if (costs.stream().reduce(BigDecimal.ZERO, BigDecimal::add).signum() != 0) {
            return Allocation.allocate(billed, costs, DIGITS);
        }
        var whole = new ArrayList<BigDecimal>();
        costs.forEach(cost -> whole.add(whole.isEmpty() ? billed : BigDecimal.ZERO));
        return whole;
    }
}
