package dev.slipway.instances.spending.domain;

import dev.slipway.contract.domain.TextEnum;

/** The states of a balance, which metering decides. */
public enum BalanceState implements TextEnum {
    HEALTHY,
    LOW,
    DEPLETED
}
