package dev.slipway.metering.rating.domain;

import dev.slipway.metering.usage.domain.BookingPeriods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static dev.slipway.metering.rating.domain.RatingFixture.FEBRUARY;
import static dev.slipway.metering.rating.domain.RatingFixture.JANUARY;
import static dev.slipway.metering.rating.domain.RatingFixture.ORG;
import static dev.slipway.metering.rating.domain.RatingFixture.fact;
import static dev.slipway.metering.rating.domain.RatingFixture.id;
import static dev.slipway.metering.rating.domain.RatingFixture.inputs;
import static dev.slipway.metering.rating.domain.RatingFixture.price;
import static dev.slipway.metering.rating.domain.RatingFixture.project;
import static dev.slipway.metering.rating.domain.RatingFixture.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RatingEngineTest {
    private static final Instant NEW_YEAR = start(JANUARY);

    @ParameterizedTest
    @CsvSource({"0, 0", "10, 0", "11, 1.00", "110, 100.00", "111, 100.50", "300, 195.00", "-2, -2.00"})
    void amountOf_appliesIncludedQuantityAndTiers(String quantity, String amount) {
        var price = price("hour", NEW_YEAR, "10", "100", "1", "0.5");
        assertThat(price.amountOf(new BigDecimal(quantity))).isEqualByComparingTo(amount);
    }

    @Test
    void allocate_isRefused_whenWeightsSumToZero() {
        assertThatThrownBy(() -> Allocation.allocate(BigDecimal.ONE, List.of(BigDecimal.ZERO), 2))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allocate_sumsExactlyToTheTotal_whenSharesAreNotWhole() {
        var parts = Allocation.allocate(
                new BigDecimal("100.00"), List.of(BigDecimal.ONE, BigDecimal.ONE, BigDecimal.ONE), 2);
        assertThat(parts).containsExactly(new BigDecimal("33.34"), new BigDecimal("33.33"), new BigDecimal("33.33"));
    }

    @ParameterizedTest
    @CsvSource({"EUR, 2", "JPY, 0", "KWD, 3"})
    void digits_areThoseOfTheCurrency(String currency, int digits) {
        assertThat(Allocation.digits(currency)).isEqualTo(digits);
    }

    @Test
    void rate_isZero_whenNoPriceIsValid() {
        var inputs = inputs(price("hour", start(FEBRUARY), "0", "1"));
        assertThat(amounts(inputs, fact(project(2), "hour", NEW_YEAR, "3", JANUARY)))
                .containsExactly("0.00");
    }

    @Test
    void rate_dividesIncludedQuantityInProportion_whenSeveralProjectsUseAUnit() {
        var inputs = inputs(price("hour", NEW_YEAR, "10", "1"));
        assertThat(amounts(
                        inputs,
                        fact(project(2), "hour", NEW_YEAR, "15", JANUARY),
                        fact(project(3), "hour", NEW_YEAR, "5", JANUARY)))
                .containsExactlyInAnyOrder("7.50", "2.50");
    }

    @Test
    void rate_continuesTiersAcrossPriceChanges() {
        var change = NEW_YEAR.plusSeconds(86_400 * 10);
        var inputs = inputs(
                price("hour", NEW_YEAR, "0", "10", "1", "0.5"),
                price(PriceScope.DEFAULT, "", 2, "hour", change, "0", false, "10", "2", "1"));
        assertThat(amounts(
                        inputs,
                        fact(project(2), "hour", NEW_YEAR, "8", JANUARY),
                        fact(project(2), "hour", change, "4", JANUARY)))
                .containsExactlyInAnyOrder("8.00", "6.00");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T23:00:00Z, 2026-01-01", // it ends with the month
        "2026-01-31T23:00:01Z, 2026-02-01",
        "2026-02-01T00:00:00Z, 2026-02-01"
    })
    void usage_belongsToTheMonthOfItsLastInstant(Instant windowStart, LocalDate month) {
        var fact = fact(project(2), "hour", windowStart, "1", month);

        assertThat(fact.usageMonth()).isEqualTo(month);
        assertThat(new BookingPeriods(null).bookingMonth(fact.windowEnd())).isEqualTo(month);
    }

    @Test
    void rate_beginsTiersAndIncludedQuantityAgain_whenAWindowExtendsIntoTheNextMonth() {
        var inputs = inputs(price("hour", NEW_YEAR, "10", "1"));
        var january = fact(project(2), "hour", NEW_YEAR, "15", JANUARY);
        var acrossTheMonth = fact(project(2), "hour", start(FEBRUARY).minusSeconds(60), "12", FEBRUARY);
        var batch = new RatingBatch(inputs, List.of(), Map.of());
        batch.add(january);
        batch.add(acrossTheMonth);

        var byMonth = batch.complete().changedLines().stream()
                .collect(Collectors.toMap(
                        line -> line.key().usageMonth(), line -> line.amount().toPlainString()));

        assertThat(byMonth).isEqualTo(Map.of(JANUARY, "5.00", FEBRUARY, "2.00"));
    }

    @Test
    void rate_usesThePriceOfTheOrganizationBeforeThatOfThePlan() {
        var prices = List.of(
                price("hour", NEW_YEAR, "0", "3"),
                price(PriceScope.PLAN, "gold", 1, "hour", NEW_YEAR, "0", false, "2"),
                price(PriceScope.ORGANIZATION, ORG.toString(), 1, "hour", start(FEBRUARY), "0", false, "1"),
                price(PriceScope.ORGANIZATION, id(9).toString(), 1, "hour", NEW_YEAR, "0", false, "9"));
        var gold = new PriceBook.PlanChange("gold", NEW_YEAR.plusSeconds(3600));
        var book = new PriceBook(ORG, prices, List.of(gold));
        assertThat(List.of(NEW_YEAR, NEW_YEAR.plusSeconds(3600), start(FEBRUARY)))
                .extracting(time -> book.at(time).price().firstUnitPrice().toPlainString())
                .containsExactly("3", "2", "1");
        assertThat(book.at(NEW_YEAR.minusSeconds(1)).price()).isNull();
    }

    @Test
    void rate_usesThePriceAtLaunch_whenThePriceIsASnapshot() {
        var change = NEW_YEAR.plusSeconds(86_400);
        var prices = List.of(
                price(PriceScope.DEFAULT, "", 1, "hour", NEW_YEAR, "0", true, "1"),
                price(PriceScope.DEFAULT, "", 2, "hour", change, "0", false, "5"));
        var launched = project(2);
        var inputs = new RatingInputs(
                ORG, "EUR", prices, List.of(), Map.of(launched.appInstanceId(), NEW_YEAR), Map.of(), Map.of());
        assertThat(amounts(
                        inputs,
                        fact(launched, "hour", change, "2", JANUARY),
                        fact(project(3), "hour", change, "2", JANUARY)))
                .containsExactlyInAnyOrder("2.00", "10.00");
    }

    @Test
    void rate_creditsEachLine_whenCorrectionsCancelOtherUsage() {
        var inputs = inputs(price("hour", NEW_YEAR, "0", "1.005"));
        assertThat(amounts(
                        inputs,
                        fact(project(2), "hour", NEW_YEAR, "-1", JANUARY),
                        fact(project(3), "hour", NEW_YEAR, "1", JANUARY)))
                .hasSize(2)
                .allMatch(amount -> amount.matches("-?1\\.0[01]"))
                .satisfies(amounts -> assertThat(
                                amounts.stream().map(BigDecimal::new).reduce(BigDecimal::add))
                        .hasValueSatisfying(sum -> assertThat(sum).isZero()));
    }

    private static List<String> amounts(RatingInputs inputs, RatableFact... facts) {
        var quantities = new HashMap<LineKey, BigDecimal>();
        for (var fact : facts) {
            quantities.merge(inputs.keyOf(fact), fact.quantity(), BigDecimal::add);
        }
        return RatingEngine.rate(quantities, inputs.book("hour"), inputs.digits()).stream()
                .map(line -> line.amount().toPlainString())
                .collect(Collectors.toList());
    }
}
