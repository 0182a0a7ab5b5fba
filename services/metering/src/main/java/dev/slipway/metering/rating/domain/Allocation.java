package dev.slipway.metering.rating.domain;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Currency;
import java.util.List;
import java.util.stream.IntStream;

/** Divides amounts of money so that the parts sum exactly to the whole: by the largest remainder. */
public final class Allocation {
    private Allocation() {}

    /** Returns the number of decimals of a currency. */
    public static int digits(String currency) {
        return Math.max(0, Currency.getInstance(currency).getDefaultFractionDigits());
    }

    /** Rounds an exact amount to the currency, half to even. */
    public static BigDecimal round(BigDecimal exact, int digits) {
        return exact.setScale(digits, RoundingMode.HALF_EVEN);
    }

    /** Divides a rounded amount in proportion to weights, whose sum must not be zero. Of equal remainders the first is rounded up. */
    public static List<BigDecimal> allocate(BigDecimal total, List<BigDecimal> weights, int digits) {
        var sum = weights.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        if (sum.signum() == 0) {
            throw new IllegalArgumentException("weights sum to zero");
        }
        var sign = BigDecimal.valueOf(sum.signum());
        return allocate(
                total,
                weights.stream()
                        .map(weight -> weight.multiply(total).multiply(sign))
                        .toList(),
                sum.abs(),
                digits);
    }

    /**
     * Rounds exact shares so that they sum to the rounded total. The exact share is {@code numerator / denominator}; their exact sum must round
     * to the total.
     */
    static List<BigDecimal> allocate(
            BigDecimal total, List<BigDecimal> numerators, BigDecimal denominator, int digits) {
        var floors = new ArrayList<BigDecimal>();
        var remainders = new ArrayList<BigDecimal>();
        var missing = total.movePointRight(digits);
        for (var numerator : numerators) {
            var scaled = numerator.movePointRight(digits);
            var floor = scaled.divide(denominator, 0, RoundingMode.FLOOR);
            floors.add(floor);
            remainders.add(scaled.subtract(floor.multiply(denominator)));
            missing = missing.subtract(floor);
        }
        var largestFirst = IntStream.range(0, numerators.size())
                .boxed()
                .sorted(Comparator.<Integer, BigDecimal>comparing(remainders::get)
                        .reversed())
                .toList();
        for (var i = 0; i < missing.intValueExact(); i++) {
            floors.set(largestFirst.get(i), floors.get(largestFirst.get(i)).add(BigDecimal.ONE));
        }
        return floors.stream()
                .map(units -> units.movePointLeft(digits).setScale(digits, RoundingMode.UNNECESSARY))
                .toList();
    }
}
