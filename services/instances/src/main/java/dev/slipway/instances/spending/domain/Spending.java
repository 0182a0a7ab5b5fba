package dev.slipway.instances.spending.domain;

import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The balance and the budget that limit a launch, and its estimated cost, read under the lock of its project or organization.
 *
 * @param account null if metering has published none: then the balance does not limit anything
 * @param budget null if the project has none
 */
public record Spending(
        String currency,
        @Nullable AccountLimit account,
        @Nullable BudgetLimit budget,
        CostEstimate estimate,
        BillingFreshness freshness) {
    public static final String BALANCE_DEPLETED = "balance_depleted";
    public static final String BUDGET_EXCEEDED = "budget_exceeded";

    /** Limits nothing. */
    public static final Spending UNLIMITED =
            new Spending("", null, null, CostEstimate.NONE, BillingFreshness.NOT_BILLED);

    /** Returns what applies without account, budget and prices. */
    public static Spending unlimited(String currency, ExpectedUsage usage) {
        return new Spending(currency, null, null, CostEstimate.of(usage, List.of()), BillingFreshness.NOT_BILLED);
    }

    /** A limit that is reached and does not refuse anything. */
    public record Warning(String code, String message) {}

    /** Returns why nothing that costs money can be started; null if it can. */
    public @Nullable Refusal check() {
        if (account != null && account.refusesLaunches()) {
            return Refusal.of(
                    BALANCE_DEPLETED,
                    "The balance of this organization is used up. Top up its account, or ask the platform for a higher credit"
                            + " limit; then retry.");
        }
        return budget != null && budget.atLimit() != LimitPolicy.WARN && budget.isExceededBy(budget.costOf(estimate))
                ? new Refusal(BUDGET_EXCEEDED, describe(budget), details(budget), List.of())
                : null;
    }

    public List<Warning> warnings() {
        var warnings = new ArrayList<Warning>();
        if (freshness.isStale()) {
            warnings.add(
                    new Warning(
                            "billing_stale",
                            "Billing data is out of date: recent payments, prices and budgets may be missing here. Retry shortly."));
        }
        if (account != null && account.isDepleted() && !account.refusesLaunches()) {
            warnings.add(
                    new Warning(BALANCE_DEPLETED, "The balance of this organization is used up. Top up its account."));
        } else if (account != null && account.isLow()) {
            warnings.add(new Warning("balance_low", "The balance of this organization is low. Top up its account."));
        }
        if (budget != null && budget.atLimit() == LimitPolicy.WARN && budget.isExceededBy(budget.costOf(estimate))) {
            warnings.add(new Warning(BUDGET_EXCEEDED, describe(budget)));
        }
        return warnings;
    }

    /** Returns the amount that a launch reserves; zero without a budget or a price. */
    public BigDecimal reservedByLaunch() {
        return budget == null ? BigDecimal.ZERO : budget.costOf(estimate);
    }

    /** Returns the reservation of a launch; null if it reserves nothing. */
    public @Nullable BudgetReservation reserve(UUID appInstanceId, Instant now) {
        var perHour = estimate.perHour();
        var amount = reservedByLaunch();
        if (budget == null || perHour == null || amount.signum() <= 0) {
            return null;
        }
        return new BudgetReservation(
                appInstanceId,
                perHour,
                amount,
                BigDecimal.ZERO,
                now,
                now.plus(Duration.ofHours(budget.reservationHours())),
                null);
    }

    private String describe(BudgetLimit limit) {
        var remaining = limit.remaining().max(BigDecimal.ZERO);
        var needed = limit.costOf(estimate);
        var need = needed.signum() == 0
                ? "The monthly budget of this project is used up: "
                : "The first " + limit.reservationHours() + " hours cost up to " + text(needed) + ", which exceeds the"
                        + " monthly budget of this project: ";
        return need + text(remaining) + " of " + text(limit.amount()) + " remain (" + text(limit.spent()) + " spent, "
                + text(limit.reserved())
                + " reserved). Raise the budget, delete instances, or wait for the next month.";
    }

    private Map<String, String> details(BudgetLimit limit) {
        return Map.of(
                "currency", currency,
                "amount", plain(limit.amount()),
                "spent", plain(limit.spent()),
                "reserved", plain(limit.reserved()),
                "needed", plain(limit.costOf(estimate)));
    }

    private String text(BigDecimal amount) {
        return currency + " " + plain(amount);
    }

    /** Returns an exact decimal without trailing zeros. */
    public static String plain(BigDecimal amount) {
        return amount.signum() == 0 ? "0" : amount.stripTrailingZeros().toPlainString();
    }
}
