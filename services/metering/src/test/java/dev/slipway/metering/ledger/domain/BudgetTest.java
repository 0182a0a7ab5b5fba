package dev.slipway.metering.ledger.domain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class BudgetTest {
    private static final LocalDate OCTOBER = LocalDate.of(2026, 10, 1);
    private static final LocalDate NOVEMBER = LocalDate.of(2026, 11, 1);
    private static final Instant EXCEEDED_AT = Instant.parse("2026-10-31T12:00:00Z");
    private static final Instant LATER = Instant.parse("2026-10-31T15:00:00Z");

    @Test
    void withSpent_beginsAgain_inAnotherMonth() {
        var october = exceeded(LimitAction.STOP_INSTANCES);
        var inNovember = Instant.parse("2026-11-01T00:00:01Z");

        var november = october.withSpent(BigDecimal.ONE, NOVEMBER, inNovember);

        assertThat(november.spent()).isEqualByComparingTo("1");
        assertThat(november.reachedPercent()).isZero();
        assertThat(november.stopAt()).isNull();
        assertThat(november.newlyExceeded(october)).isEmpty();
    }

    @Test
    void withSpent_reportsThresholdsAgain_andRestartsTheGracePeriod_inAnotherMonth() {
        var october = exceeded(LimitAction.STOP_INSTANCES);
        var inNovember = Instant.parse("2026-11-01T06:00:00Z");

        var november = october.withSpent(BigDecimal.TEN, NOVEMBER, inNovember);

        assertThat(november.newlyExceeded(october)).containsExactly(80, 100);
        assertThat(november.stopAt()).isEqualTo(inNovember.plus(Duration.ofHours(24)));
    }

    @Test
    void exceededBetween_namesEachThresholdOnce() {
        var budget = exceeded(LimitAction.WARN);

        assertThat(budget.exceededBetween(new BigDecimal("7.99"), new BigDecimal("8")))
                .containsExactly(80);
        assertThat(budget.exceededBetween(new BigDecimal("8"), new BigDecimal("9.99")))
                .isEmpty();
        assertThat(budget.exceededBetween(BigDecimal.ZERO, BigDecimal.TEN)).containsExactly(80, 100);
        assertThat(budget.exceededBetween(BigDecimal.TEN, BigDecimal.ONE)).isEmpty();
    }

    @Test
    void stopAt_isNotPostponed_byFurtherSpending() {
        var next = exceeded(LimitAction.STOP_INSTANCES).withSpent(new BigDecimal("12"), OCTOBER, LATER);

        assertThat(next.stopAt()).isEqualTo(EXCEEDED_AT.plus(Duration.ofHours(24)));
    }

    @ParameterizedTest
    @CsvSource({
        "5,  24, 2026-11-01T12:00:00Z", // a lower amount, which is used up as well
        "9,  24, 2026-11-01T12:00:00Z",
        "10, 48, 2026-11-02T12:00:00Z", // a longer grace period counts from the same time
        "10, 1,  2026-10-31T13:00:00Z", // a shorter one can already have ended
        "11, 24, " // more than is spent
    })
    void stopAt_countsFromTheFirstExcess_whenTheBudgetChangesInTheGracePeriod(
            String amount, int graceHours, Instant stopAt) {
        var changed = exceeded(LimitAction.STOP_INSTANCES)
                .withSettings(settings(amount, LimitAction.STOP_INSTANCES, graceHours))
                .withSpent(BigDecimal.TEN, OCTOBER, LATER);

        assertThat(changed.stopAt()).isEqualTo(stopAt);
    }

    @Test
    void stopAt_countsFromTheChange_whenInstancesWereNotToBeStoppedBefore() {
        var changed = exceeded(LimitAction.REFUSE_LAUNCHES)
                .withSettings(settings("10", LimitAction.STOP_INSTANCES, 24))
                .withSpent(BigDecimal.TEN, OCTOBER, LATER);

        assertThat(changed.stopAt()).isEqualTo(LATER.plus(Duration.ofHours(24)));
    }

    @Test
    void stopAt_countsFromTheSecondExcess_whenTheBudgetWasRaisedInBetween() {
        var raised = exceeded(LimitAction.STOP_INSTANCES)
                .withSettings(settings("20", LimitAction.STOP_INSTANCES, 24))
                .withSpent(BigDecimal.TEN, OCTOBER, EXCEEDED_AT.plusSeconds(60));

        var exceededAgain = raised.withSpent(new BigDecimal("20"), OCTOBER, LATER);

        assertThat(exceededAgain.stopAt()).isEqualTo(LATER.plus(Duration.ofHours(24)));
    }

    @Test
    void withSettings_doesNotReportAThresholdAgain() {
        var before = exceeded(LimitAction.WARN);

        var changed = before.withSettings(settings("10", LimitAction.REFUSE_LAUNCHES, 24))
                .withSpent(BigDecimal.TEN, OCTOBER, LATER);

        assertThat(changed.newlyExceeded(before)).isEmpty();
    }

    /** Returns a budget of 10 that was used up at noon of the last day of October. */
    private static Budget exceeded(LimitAction atLimit) {
        return Budget.create(new UUID(0, 1), new UUID(0, 2), settings("10", atLimit, 24))
                .withSpent(BigDecimal.TEN, OCTOBER, EXCEEDED_AT);
    }

    private static Budget.Settings settings(String amount, LimitAction atLimit, int graceHours) {
        return new Budget.Settings(
                "EUR", new BigDecimal(amount), List.of(80, 100), atLimit, Duration.ofHours(graceHours), 24);
    }
}
