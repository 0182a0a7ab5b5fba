package dev.slipway.instances.spending.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.CostEstimate.UnitPrice;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class SpendingTest {
    private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
    private static final UUID INSTANCE = new UUID(0, 1);

    @ParameterizedTest
    @CsvSource({"depleted, refuse_launches, true", "depleted, stop_instances, true"})
    void check_refuses_whenTheBalanceDoes(String state, String atZero, boolean refuses) {
        var account = new AccountLimit(
                TextEnum.parse(BalanceState.class, state), TextEnum.parse(LimitPolicy.class, atZero), refuses);

        var refusal = new Spending("EUR", account, null, CostEstimate.NONE, BillingFreshness.NOT_BILLED).check();

        assertThat(requireNonNull(refusal).code()).isEqualTo("balance_depleted");
        assertThat(refusal.message()).contains("Top up");
    }

    @Test
    void check_onlyWarns_whenThePolicySaysSo() {
        var account = new AccountLimit(BalanceState.DEPLETED, LimitPolicy.WARN, false);
        var spending = new Spending(
                "EUR",
                account,
                budget("10", "10", "0", LimitPolicy.WARN, 24),
                estimate("1"),
                BillingFreshness.NOT_BILLED);

        assertThat(spending.check()).isNull();
        assertThat(spending.warnings())
                .extracting(Spending.Warning::code)
                .containsExactly("balance_depleted", "budget_exceeded");
    }

    @ParameterizedTest
    @CsvSource({
        "10, 0, 0, allowed", // the launch needs 2
        "10, 8, 0, allowed",
        "10, 8.01, 0, refused",
        "10, 4, 4, allowed",
        "10, 4, 4.000001, refused",
        "10, 12, 0, refused",
        "0, 0, 0, refused"
    })
    void check_comparesSpentReservedAndNeededWithTheBudget(
            String amount, String spent, String reserved, String expected) {
        var spending = new Spending(
                "EUR",
                null,
                budget(amount, spent, reserved, LimitPolicy.REFUSE_LAUNCHES, 4),
                estimate("0.5"),
                BillingFreshness.NOT_BILLED);

        assertThat(spending.check() == null ? "allowed" : "refused").isEqualTo(expected);
    }

    @Test
    void check_explainsTheAmounts_andWhatToDo() {
        var spending = new Spending(
                "EUR",
                null,
                budget("10.00", "7", "2", LimitPolicy.STOP_INSTANCES, 24),
                estimate("0.12"),
                BillingFreshness.NOT_BILLED);

        Refusal refusal = requireNonNull(spending.check());

        assertThat(refusal.code()).isEqualTo("budget_exceeded");
        assertThat(refusal.message())
                .isEqualTo(
                        "The first 24 hours cost up to EUR 2.88, which exceeds the monthly budget of this project: EUR 1 of"
                                + " EUR 10 remain (EUR 7 spent, EUR 2 reserved). Raise the budget, delete instances, or wait for"
                                + " the next month.");
        assertThat(refusal.details()).containsEntry("needed", "2.88").containsEntry("spent", "7");
    }

    @Test
    void budget_countsNothing_thatWasSpentInAnotherMonth() {
        var november = BudgetLimit.of(
                BigDecimal.TEN,
                BigDecimal.TEN,
                LocalDate.of(2026, 10, 1),
                BigDecimal.ZERO,
                LimitPolicy.REFUSE_LAUNCHES,
                1,
                NOW);

        assertThat(november.remaining()).isEqualByComparingTo("10");
    }

    @Test
    void reserve_returnsTheCostOfTheReservedHours_orNothingWithoutABudget() {
        var limited = new Spending(
                "EUR",
                null,
                budget("10", "0", "0", LimitPolicy.REFUSE_LAUNCHES, 24),
                estimate("0.12"),
                BillingFreshness.NOT_BILLED);

        var reservation = requireNonNull(limited.reserve(INSTANCE, NOW));

        assertThat(reservation.amount()).isEqualByComparingTo("2.88");
        assertThat(reservation.expiresAt()).isEqualTo(NOW.plusSeconds(86_400));
        assertThat(new Spending("EUR", null, null, estimate("0.12"), BillingFreshness.NOT_BILLED)
                        .reserve(INSTANCE, NOW))
                .isNull();
    }

    @Test
    void commit_coversTheTimeUntilTheInstanceEnded_andLeavesTheRestToOthers() {
        var deleted = reservation(1, NOW, NOW.plusSeconds(3600));
        var live = reservation(2, NOW.plusSeconds(3600), null);

        var changed =
                BudgetReservation.commit(List.of(deleted, live), new BigDecimal("11"), NOW.plusSeconds(11 * 3600));

        assertThat(changed)
                .extracting(reservation -> reservation.committed().intValueExact())
                .containsExactly(1, 10);
    }

    @Test
    void warnings_sayThatBillingIsStale_whenItsLastHeartbeatIsTooOldOrMissing() {
        var maxAge = Duration.ofMinutes(2);

        assertThat(BillingFreshness.of(NOW.minus(maxAge), maxAge, NOW).isStale())
                .isFalse();
        assertThat(BillingFreshness.of(null, maxAge, NOW).isStale()).isTrue();
        var stale = BillingFreshness.of(NOW.minus(maxAge).minusMillis(1), maxAge, NOW);
        assertThat(new Spending("EUR", null, null, CostEstimate.NONE, stale).warnings())
                .extracting(Spending.Warning::code)
                .containsExactly("billing_stale");
    }

    private static BudgetReservation reservation(int id, Instant createdAt, @Nullable Instant endedAt) {
        return new BudgetReservation(
                new UUID(0, id),
                BigDecimal.ONE,
                new BigDecimal("24"),
                BigDecimal.ZERO,
                createdAt,
                createdAt.plusSeconds(86_400),
                endedAt);
    }

    @Test
    void estimate_containsTheUnitsWithAKnownQuantity() {
        var usage = ExpectedUsage.ofRunning(Set.of("app_runtime_hour", "gpu_hour", "token"), 4);

        var estimate = CostEstimate.of(
                usage, List.of(price("app_uptime_hour", "0.1"), price("gpu_hour", "2.5"), price("token", "0.01")));

        assertThat(usage.units()).containsExactly("app_runtime_hour", "app_uptime_hour", "gpu_hour", "token");
        assertThat(estimate.perHour()).isEqualByComparingTo("10.1");
        assertThat(estimate.perMonth()).isEqualByComparingTo("7373");
        assertThat(estimate.items().get(2).perHour()).isNull();
        assertThat(CostEstimate.of(usage, List.of(price("token", "1"))).perHour())
                .isNull();
    }

    @Test
    void commit_usesElapsedTimeOnly_inTheOrderOfTheReservations() {
        var first = reservation(1, NOW.minusSeconds(3600)); // 1 of 24 may be committed
        var second = reservation(2, NOW.minusSeconds(7200)); // 2 of 24

        assertThat(BudgetReservation.commit(List.of(first, second), new BigDecimal("2.5"), NOW))
                .extracting(each -> each.committed().stripTrailingZeros().toPlainString())
                .containsExactly("1", "1.5");
        assertThat(BudgetReservation.commit(List.of(first, second), new BigDecimal("100"), NOW))
                .extracting(each -> each.committed().stripTrailingZeros().toPlainString())
                .containsExactly("1", "2");
        assertThat(BudgetReservation.commit(List.of(reservation(3, NOW)), BigDecimal.TEN, NOW))
                .isEmpty();
    }

    @Test
    void commit_neverExceedsTheReservation() {
        var old = reservation(1, NOW.minusSeconds(3600 * 100));

        assertThat(BudgetReservation.commit(List.of(old), new BigDecimal("1000"), NOW))
                .extracting(BudgetReservation::committed)
                .allSatisfy(committed -> assertThat(committed).isEqualByComparingTo("24"));
    }

    @Test
    void estimate_saysWhyTheCostIsNotKnown() {
        var price = new UnitPrice("token", new UUID(0, 2), 1, BigDecimal.ONE);
        var attachment = CostEstimate.of(ExpectedUsage.ofUnits(Set.of("token")), List.of(price));

        assertThat(attachment.unknownReason()).isEqualTo(CostEstimate.UnknownReason.DEPENDS_ON_USE);
        assertThat(CostEstimate.NONE.unknownReason()).isEqualTo(CostEstimate.UnknownReason.NO_PRICE);
        assertThat(estimate("1").unknownReason()).isNull();
    }

    private static BudgetReservation reservation(int id, Instant createdAt) {
        return reservation(id, createdAt, null);
    }

    private static BudgetLimit budget(String amount, String spent, String reserved, LimitPolicy atLimit, int hours) {
        return new BudgetLimit(new BigDecimal(amount), new BigDecimal(spent), new BigDecimal(reserved), atLimit, hours);
    }

    private static CostEstimate estimate(String perHour) {
        return CostEstimate.of(ExpectedUsage.ofRunning(Set.of(), null), List.of(price("app_uptime_hour", perHour)));
    }

    private static UnitPrice price(String unit, String unitPrice) {
        return new UnitPrice(unit, new UUID(0, 9), 1, new BigDecimal(unitPrice));
    }
}
