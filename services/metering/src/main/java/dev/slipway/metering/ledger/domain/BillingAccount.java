package dev.slipway.metering.ledger.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * The settings of an organization's balance, and its state.
 *
 * @param creditLimit how far the balance may fall below zero; null without a limit
 * @param lowBalance the remaining amount (balance and credit) at which a warning is published
 * @param postings counts the usage transactions
 */
public record BillingAccount(
        UUID orgId,
        String currency,
        @Nullable BigDecimal creditLimit,
        BigDecimal lowBalance,
        LimitAction atZero,
        Duration grace,
        State state,
        Instant stateSince,
        long postings,
        long revision) {

    /** The states of a balance. */
    public enum State implements TextEnum {
        HEALTHY,
        LOW,
        DEPLETED
    }

    /** Returns the amount that can still be spent; null without a limit. */
    public @Nullable BigDecimal remaining(BigDecimal balance) {
        return creditLimit == null ? null : balance.add(creditLimit);
    }

    /** Returns a copy in the state that follows from the balance. The revision increases if the state changes. */
    public BillingAccount withBalance(BigDecimal balance, Instant now) {
        var remaining = remaining(balance);
        var next = remaining == null || remaining.compareTo(lowBalance) > 0
                ? State.HEALTHY
                : remaining.signum() > 0 ? State.LOW : State.DEPLETED;
        return next == state
                ? this
                : new BillingAccount(
                        orgId, currency, creditLimit, lowBalance, atZero, grace, next, now, postings, revision + 1);
    }

    /** Returns a copy with other settings. If instances are to be stopped from now on, the grace period begins now. */
    public BillingAccount withSettings(
            @Nullable BigDecimal newCreditLimit,
            BigDecimal newLowBalance,
            LimitAction newAtZero,
            Duration newGrace,
            Instant now) {
        var beginsToStop = newAtZero == LimitAction.STOP_INSTANCES && atZero != LimitAction.STOP_INSTANCES;
        return new BillingAccount(
                orgId,
                currency,
                newCreditLimit,
                newLowBalance,
                newAtZero,
                newGrace,
                state,
                beginsToStop ? now : stateSince,
                postings,
                revision + 1);
    }

    public BillingAccount withNextPosting() {
        return new BillingAccount(
                orgId, currency, creditLimit, lowBalance, atZero, grace, state, stateSince, postings + 1, revision);
    }

    /** Returns when instances are stopped; null if they are not. */
    public @Nullable Instant stopAt() {
        return state == State.DEPLETED && atZero == LimitAction.STOP_INSTANCES ? stateSince.plus(grace) : null;
    }

    /** Returns whether the state forbids launches. */
    public boolean refusesLaunches() {
        return state == State.DEPLETED && atZero != LimitAction.WARN;
    }
}
