package dev.slipway.metering.rating.domain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import static dev.slipway.metering.rating.domain.RatingFixture.FEBRUARY;
import static dev.slipway.metering.rating.domain.RatingFixture.JANUARY;
import static dev.slipway.metering.rating.domain.RatingFixture.ORG;
import static dev.slipway.metering.rating.domain.RatingFixture.inputs;
import static dev.slipway.metering.rating.domain.RatingFixture.price;
import static dev.slipway.metering.rating.domain.RatingFixture.start;
import static org.assertj.core.api.Assertions.assertThat;

class PricedPartTest {
    private static final Instant NEW_YEAR = start(JANUARY);
    private static final PriceVersion LIST = price("hour", NEW_YEAR, "10", "100", "3", "2");
    private static final PriceVersion NEGOTIATED =
            price(PriceScope.ORGANIZATION, ORG.toString(), 1, "hour", NEW_YEAR, "20", false, "50", "1.5", "1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0   | 5    | included 5 at 0 of 0",
                "0   | 10   | included 10 at 0 of 0",
                "0   | 150  | included 10 at 0 of 0, tier-1 10 at 0 of 3, tier-1 50 at 1.5 of 3, tier-1 40 at 1 of 3, tier-2 40 at 1 of 2",
                "150 | 20   | tier-2 20 at 1 of 2",
                "30  | -25  | included -5 at 0 of 0, tier-1 -10 at 0 of 3, tier-1 -10 at 1.5 of 3",
                "0   | -4   | tier-1 -4 at 1.5 of 3",
                "7   | 0    | tier-1 0 at 1.5 of 3"
            })
    void divide_cutsWhereOneOfThePricesChanges(BigDecimal used, BigDecimal quantity, String expected) {
        assertThat(PricedPart.divide(NEGOTIATED, LIST, used, quantity).stream()
                        .map(part -> part.tier() + " " + part.quantity().toPlainString() + " at "
                                + part.unitPrice().toPlainString() + " of "
                                + part.listUnitPrice().toPlainString())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(expected);
    }

    @Test
    void divide_hasNoTier_withoutAPrice() {
        assertThat(PricedPart.divide(null, null, BigDecimal.ONE, BigDecimal.TEN))
                .containsExactly(new PricedPart(null, BigDecimal.TEN, BigDecimal.ZERO, BigDecimal.ZERO));
    }

    /** The parts have the amount that rating computes, at both prices. */
    @Test
    void divide_sumsToTheQuantityAndTheAmounts() {
        var random = new Random(7);
        for (var i = 0; i < 2_000; i++) {
            var used = new BigDecimal(random.nextInt(400) - 50).movePointLeft(random.nextInt(2));
            var quantity = new BigDecimal(random.nextInt(800) - 300).movePointLeft(random.nextInt(3));
            var parts = PricedPart.divide(NEGOTIATED, LIST, used, quantity);

            assertThat(parts.stream().map(PricedPart::quantity).reduce(BigDecimal.ZERO, BigDecimal::add))
                    .isEqualByComparingTo(quantity);
            assertThat(parts.stream()
                            .map(part -> part.quantity().multiply(part.unitPrice()))
                            .reduce(BigDecimal.ZERO, BigDecimal::add))
                    .isEqualByComparingTo(
                            NEGOTIATED.amountOf(used.add(quantity)).subtract(NEGOTIATED.amountOf(used)));
            assertThat(parts.stream()
                            .map(part -> part.quantity().multiply(part.listUnitPrice()))
                            .reduce(BigDecimal.ZERO, BigDecimal::add))
                    .isEqualByComparingTo(LIST.amountOf(used.add(quantity)).subtract(LIST.amountOf(used)));
        }
    }

    /** The list price is the default that is valid when the price begins to apply, or the month if that is later. */
    @Test
    void divide_usesTheDefaultPriceThatAnOverrideReplaces() {
        var second = price(PriceScope.DEFAULT, "", 2, "hour", start(FEBRUARY), "0", false, "4");
        var overridden = inputs(LIST, second, NEGOTIATED);
        var alone = inputs(NEGOTIATED);

        assertThat(listPrices(overridden, JANUARY)).containsExactly("0", "3", "3");
        assertThat(listPrices(overridden, FEBRUARY)).containsExactly("4", "4");
        assertThat(listPrices(alone, JANUARY)).containsExactly("0", "1.5");
    }

    private static List<String> listPrices(RatingInputs inputs, LocalDate month) {
        var usage = new PricedMonth("hour", month, NEW_YEAR, NEGOTIATED.id(), new BigDecimal("60"));
        return inputs.divide(usage, BigDecimal.ZERO).stream()
                .map(part -> part.listUnitPrice().toPlainString())
                .toList();
    }
}
