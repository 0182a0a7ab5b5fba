package dev.slipway.instances.spending.domain;

/**
 * The state of an organization's balance, as metering published it.
 *
 * @param state healthy, low or depleted
 * @param refusesLaunches whether the state and the action at zero forbid launches
 */
public record AccountLimit(String state, LimitPolicy atZero, boolean refusesLaunches) {
    public boolean isDepleted() {
        return state.equals("depleted");
    }

    boolean isLow() {
        return state.equals("low");
    }
}
