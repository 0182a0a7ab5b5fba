package dev.slipway.instances.spending.domain;

/**
 * The state of an organization's balance, as metering published it.
 *
 * @param refusesLaunches whether the state and the action at zero forbid launches
 */
public record AccountLimit(BalanceState state, LimitPolicy atZero, boolean refusesLaunches) {
    public boolean isDepleted() {
        return state == BalanceState.DEPLETED;
    }

    boolean isLow() {
        return state == BalanceState.LOW;
    }
}
