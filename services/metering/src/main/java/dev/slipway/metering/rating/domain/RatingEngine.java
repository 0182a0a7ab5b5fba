package dev.slipway.metering.rating.domain;

import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Rates usage. The result depends on the set of facts only, not on their order: the quantities of a month are summed, tiers are applied to the
 * sum in the order of the prices, and the amount of each price is divided between its lines in proportion to their quantities. So rating
 * fact by fact and rating everything again give the same amounts.
 */
public final class RatingEngine {
    private RatingEngine() {}

    /** A line without its amount. */
    private record UnratedLine(UUID id, LineKey key, BigDecimal quantity) {}

    /**
     * Returns the line to which a fact belongs.
     *
     * @param launchedAt when the instance of the fact was launched; null if it has none or it is not known
     */
    public static LineKey keyOf(RatableFact fact, PriceBook book, @Nullable Instant launchedAt) {
        var segment = book.at(fact.windowStart());
        if (launchedAt != null) {
            var atLaunch = book.at(launchedAt);
            if (atLaunch.price() != null && atLaunch.price().snapshotAtLaunch()) {
                segment = atLaunch;
            }
        }
        return new LineKey(
                fact.orgId(), fact.unit(), fact.usageMonth(), segment.from(), segment.priceId(), fact.group());
    }

    /** Returns the lines of one rating key with their amounts, ordered by id. */
    public static List<RatedLine> rate(Map<LineKey, BigDecimal> quantities, PriceBook book, int digits) {
        var bySegment = new TreeMap<Instant, List<UnratedLine>>();
        quantities.forEach((key, quantity) -> bySegment
                .computeIfAbsent(key.priceFrom(), first -> new ArrayList<>())
                .add(new UnratedLine(key.id(), key, quantity)));
        var rated = new ArrayList<RatedLine>();
        var used = BigDecimal.ZERO;
        for (var segment : bySegment.entrySet()) {
            var lines = segment.getValue();
            lines.sort(Comparator.comparing(UnratedLine::id));
            var ofLines = lines.stream().map(UnratedLine::quantity).toList();
            var price = book.beginningAt(segment.getKey()).price();
            var amounts = amounts(price, used, ofLines, digits);
            for (var i = 0; i < lines.size(); i++) {
                var line = lines.get(i);
                rated.add(new RatedLine(line.id, line.key, line.quantity, amounts.get(i)));
            }
            used = used.add(sum(ofLines));
        }
        rated.sort(Comparator.comparing(RatedLine::id));
        return rated;
    }

    private static List<BigDecimal> amounts(
            @Nullable PriceVersion price, BigDecimal used, List<BigDecimal> quantities, int digits) {
        if (price == null) {
            var nothing = BigDecimal.ZERO.setScale(digits);
            return quantities.stream().map(quantity -> nothing).toList();
        }
        var sum = sum(quantities);
        var total = Allocation.round(price.amountOf(used.add(sum)).subtract(price.amountOf(used)), digits);
        if (sum.signum() != 0) {
            return Allocation.allocate(total, quantities, digits);
        }
        // Corrections cancel other usage of the month exactly: each line is rated at the first price, and the lines sum
        // to zero.
        var shares = quantities.stream()
                .map(quantity -> quantity.multiply(price.firstUnitPrice()))
                .toList();
        return Allocation.allocate(total, shares, BigDecimal.ONE, digits);
    }

    private static BigDecimal sum(Collection<BigDecimal> values) {
        return values.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
