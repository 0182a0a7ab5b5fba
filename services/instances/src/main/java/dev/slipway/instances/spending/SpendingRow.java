package dev.slipway.instances.spending;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.spending.domain.AccountLimit;
import dev.slipway.instances.spending.domain.BalanceState;
import dev.slipway.instances.spending.domain.BillingFreshness;
import dev.slipway.instances.spending.domain.BudgetLimit;
import dev.slipway.instances.spending.domain.CostEstimate;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.CostEstimate.UnitPrice;
import dev.slipway.instances.spending.domain.LimitPolicy;
import dev.slipway.instances.spending.domain.Spending;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The balance, the budget and the prices of a launch, as the database returns them. Amounts are texts, so that they stay exact.
 *
 * @param state of the account; null without one
 * @param amount of the budget; null without one
 * @param asOf until when the copy of billing is complete; null before the first heartbeat
 */
public record SpendingRow(
        String currency,
        @Nullable BalanceState state,
        @Nullable String atZero,
        boolean refusesLaunches,
        @Nullable String amount,
        @Nullable String spent,
        @Nullable String period,
        @Nullable String atLimit,
        int reservationHours,
        String reserved,
        List<PriceRow> prices,
        @Nullable Instant asOf) {

    /** The price of a unit. */
    public record PriceRow(String unit, UUID priceId, int version, String highestUnitPrice) {
        private UnitPrice toPrice() {
            return new UnitPrice(unit, priceId, version, new BigDecimal(highestUnitPrice));
        }
    }

    public static SpendingRow parse(String json) {
        return Json.toRecord(Json.parseStoredObject(json), SpendingRow.class);
    }

    public Spending toSpending(ExpectedUsage usage, Duration maxAge, Instant now) {
        return new Spending(
                currency,
                account(),
                budget(now),
                CostEstimate.of(usage, prices.stream().map(PriceRow::toPrice).toList()),
                BillingFreshness.of(asOf, maxAge, now));
    }

    private @Nullable AccountLimit account() {
        return state == null
                ? null
                : new AccountLimit(
                        state, TextEnum.parse(LimitPolicy.class, Objects.requireNonNull(atZero)), refusesLaunches);
    }

    private @Nullable BudgetLimit budget(Instant now) {
        return amount == null
                ? null
                : BudgetLimit.of(
                        new BigDecimal(amount),
                        new BigDecimal(Objects.requireNonNull(spent)),
                        period == null ? null : LocalDate.parse(period),
                        new BigDecimal(reserved),
                        TextEnum.parse(LimitPolicy.class, Objects.requireNonNull(atLimit)),
                        reservationHours,
                        now);
    }
}
