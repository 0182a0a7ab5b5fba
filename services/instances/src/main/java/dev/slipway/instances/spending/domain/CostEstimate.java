package dev.slipway.instances.spending.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The cost that can be known before a launch. It is an upper bound for the units with a known quantity: the highest tier applies, and included
 * quantities are not deducted, because both depend on the other usage of the month.
 */
public record CostEstimate(List<Item> items) {
    public static final CostEstimate NONE = new CostEstimate(List.of());

    /** The running time that metering derives from the lifecycle of every instance and shared runtime. */
    private static final String UPTIME = "app_uptime_hour";

    private static final String RUNTIME = "app_runtime_hour";
    private static final String GPU = "gpu_hour";
    private static final BigDecimal HOURS_PER_MONTH = BigDecimal.valueOf(730);

    public CostEstimate {
        items = List.copyOf(items);
    }

    /** Why a cost is not known in advance. */
    public enum UnknownReason implements TextEnum {
        NO_PRICE,
        DEPENDS_ON_USE
    }

    /**
     * The price of a unit now.
     *
     * @param highestUnitPrice of all tiers
     */
    public record UnitPrice(String unit, UUID priceId, int version, BigDecimal highestUnitPrice) {}

    /**
     * The cost of one unit.
     *
     * @param quantityPerHour null if the quantity is not known in advance
     */
    public record Item(UnitPrice price, @Nullable BigDecimal quantityPerHour) {
        public @Nullable BigDecimal perHour() {
            return quantityPerHour == null ? null : price.highestUnitPrice.multiply(quantityPerHour);
        }
    }

    /**
     * The usage of a subject.
     *
     * @param units the units in which it is measured
     * @param perHour the quantities that are known in advance, by unit
     */
    public record ExpectedUsage(Set<String> units, Map<String, BigDecimal> perHour) {
        /** Returns the usage of an app that runs; {@code gpuCount} is null if the adapter chooses it. */
        public static ExpectedUsage ofRunning(Set<String> declaredUnits, @Nullable Integer gpuCount) {
            var units = new TreeSet<>(declaredUnits);
            units.add(UPTIME);
            var perHour = new HashMap<String, BigDecimal>();
            perHour.put(UPTIME, BigDecimal.ONE);
            perHour.put(RUNTIME, BigDecimal.ONE);
            if (gpuCount != null) {
                perHour.put(GPU, BigDecimal.valueOf(gpuCount));
            }
            return new ExpectedUsage(units, perHour);
        }

        /** Returns usage of which only the units are known. */
        public static ExpectedUsage ofUnits(Set<String> declaredUnits) {
            return new ExpectedUsage(new TreeSet<>(declaredUnits), Map.of());
        }
    }

    public static CostEstimate of(ExpectedUsage usage, List<UnitPrice> prices) {
        return new CostEstimate(prices.stream()
                .map(price -> new Item(price, usage.perHour.get(price.unit)))
                .toList());
    }

    /** Returns the cost per hour of the units with a known quantity; null if none of them has a price. */
    public @Nullable BigDecimal perHour() {
        return items.stream()
                .map(Item::perHour)
                .filter(Objects::nonNull)
                .reduce(BigDecimal::add)
                .orElse(null);
    }

    /** Returns why the cost per hour is not known; null if it is. */
    public @Nullable UnknownReason unknownReason() {
        if (perHour() != null) {
            return null;
        }
        return items.isEmpty() ? UnknownReason.NO_PRICE : UnknownReason.DEPENDS_ON_USE;
    }

    /** Returns the cost of 730 hours; null without a cost per hour. */
    public @Nullable BigDecimal perMonth() {
        var perHour = perHour();
        return perHour == null ? null : perHour.multiply(HOURS_PER_MONTH);
    }
}
