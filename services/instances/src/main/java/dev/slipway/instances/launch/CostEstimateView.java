package dev.slipway.instances.launch;

import dev.slipway.instances.spending.domain.AccountLimit;
import dev.slipway.instances.spending.domain.BalanceState;
import dev.slipway.instances.spending.domain.BudgetLimit;
import dev.slipway.instances.spending.domain.CostEstimate;
import dev.slipway.instances.spending.domain.Spending;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The estimated cost in the response of a plan, with the balance, the budget and the quota that are left. */
record CostEstimateView(
        String currency,
        @Nullable String perHour,
        @Nullable String perMonth,
        @Nullable String unknownReason,
        String reserved,
        List<ItemView> items,
        @Nullable BudgetView budget,
        @Nullable BalanceView balance,
        @Nullable Long remainingInstances,
        @Nullable Instant asOf,
        boolean stale) {

    private record ItemView(
            String unit,
            UUID priceId,
            int priceVersion,
            String unitPrice,
            @Nullable String quantityPerHour,
            @Nullable String perHour) {
        static ItemView of(CostEstimate.Item item) {
            return new ItemView(
                    item.price().unit(),
                    item.price().priceId(),
                    item.price().version(),
                    Spending.plain(item.price().highestUnitPrice()),
                    plainOrNull(item.quantityPerHour()),
                    plainOrNull(item.perHour()));
        }
    }

    private record BudgetView(String amount, String spent, String reserved, String remaining, String atLimit) {
        static BudgetView of(BudgetLimit budget) {
            return new BudgetView(
                    Spending.plain(budget.amount()),
                    Spending.plain(budget.spent()),
                    Spending.plain(budget.reserved()),
                    Spending.plain(budget.remaining()),
                    budget.atLimit().text());
        }
    }

    private record BalanceView(BalanceState state, String atZero) {
        static BalanceView of(AccountLimit account) {
            return new BalanceView(account.state(), account.atZero().text());
        }
    }

    /** {@code remainingInstances} is null without a quota. */
    static CostEstimateView of(Spending spending, @Nullable Long remainingInstances) {
        var estimate = spending.estimate();
        var reason = estimate.unknownReason();
        var budget = spending.budget();
        var account = spending.account();
        return new CostEstimateView(
                spending.currency(),
                plainOrNull(estimate.perHour()),
                plainOrNull(estimate.perMonth()),
                reason == null ? null : reason.text(),
                Spending.plain(spending.reservedByLaunch()),
                estimate.items().stream().map(ItemView::of).toList(),
                budget == null ? null : BudgetView.of(budget),
                account == null ? null : BalanceView.of(account),
                remainingInstances,
                spending.freshness().asOf(),
                spending.freshness().isStale());
    }

    private static @Nullable String plainOrNull(@Nullable BigDecimal amount) {
        return amount == null ? null : Spending.plain(amount);
    }
}
