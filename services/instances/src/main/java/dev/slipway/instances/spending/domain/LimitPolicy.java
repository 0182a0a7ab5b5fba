package dev.slipway.instances.spending.domain;

import dev.slipway.contract.domain.TextEnum;

/** The policy for a balance or a budget that is used up. */
public enum LimitPolicy implements TextEnum {
    WARN,
    REFUSE_LAUNCHES,
    STOP_INSTANCES
}
