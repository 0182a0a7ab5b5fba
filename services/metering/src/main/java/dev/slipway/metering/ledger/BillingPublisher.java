package dev.slipway.metering.ledger;

import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.ledger.domain.BillingAccount;
import dev.slipway.metering.ledger.domain.Budget;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;

/** Publishes events about balances and budgets, and their state for the services that decide on launches. */
public final class BillingPublisher {
    private BillingPublisher() {}

    private record AccountSnapshot(
            UUID orgId,
            String currency,
            String state,
            String atZero,
            boolean refusesLaunches,
            @Nullable Instant stopAt,
            long revision) {}

    private record BudgetSnapshot(
            UUID orgId,
            UUID projectId,
            String currency,
            String amount,
            String spent,
            @Nullable String period,
            String atLimit,
            int reservationHours,
            @Nullable Instant stopAt,
            Instant asOf,
            long revision) {}

    private record BalanceEvent(
            UUID orgId,
            String currency,
            String balance,
            @Nullable String remaining,
            String atZero,
            @Nullable Instant stopAt) {}

    private record BudgetEvent(
            UUID orgId,
            UUID projectId,
            String currency,
            String amount,
            String spent,
            String period,
            int thresholdPercent,
            String atLimit) {}

    public static void publishAccount(UnitOfWork unit, BillingAccount account) {
        var snapshot = new AccountSnapshot(
                account.orgId(),
                account.currency(),
                account.state().text(),
                account.atZero().text(),
                account.refusesLaunches(),
                account.stopAt(),
                account.revision());
        unit.publish(
                Topics.BILLING_STATE,
                "account:" + account.orgId(),
                "billing.account.snapshot",
                Json.toObject(snapshot));
    }

    public static void publishBudget(UnitOfWork unit, Budget budget) {
        var snapshot = new BudgetSnapshot(
                budget.orgId(),
                budget.projectId(),
                budget.currency(),
                budget.amount().toPlainString(),
                budget.spent().toPlainString(),
                budget.reachedPeriod() == null ? null : budget.reachedPeriod().toString(),
                budget.atLimit().text(),
                budget.reservationHours(),
                budget.stopAt(),
                unit.now(),
                budget.revision());
        unit.publish(
                Topics.BILLING_STATE,
                "budget:" + budget.projectId(),
                "billing.budget.snapshot",
                Json.toObject(snapshot));
    }

    /** Publishes the transition of a balance to its state. */
    static void publishTransition(UnitOfWork unit, BillingAccount account, BigDecimal balance) {
        var remaining = account.remaining(balance);
        var event = new BalanceEvent(
                account.orgId(),
                account.currency(),
                balance.toPlainString(),
                remaining == null ? null : remaining.toPlainString(),
                account.atZero().text(),
                account.stopAt());
        var type =
                switch (account.state()) {
                    case HEALTHY -> "billing.balance.restored";
                    case LOW -> "billing.balance.low";
                    case DEPLETED -> "billing.balance.depleted";
                };
        unit.publish(Topics.BILLING_EVENTS, account.orgId().toString(), type, Json.toObject(event));
    }

    static void publishExceeded(UnitOfWork unit, Budget budget, BigDecimal spent, LocalDate period, int threshold) {
        var event = new BudgetEvent(
                budget.orgId(),
                budget.projectId(),
                budget.currency(),
                budget.amount().toPlainString(),
                spent.toPlainString(),
                period.toString(),
                threshold,
                budget.atLimit().text());
        unit.publish(Topics.BILLING_EVENTS, budget.orgId().toString(), "billing.budget.exceeded", Json.toObject(event));
    }
}
