package dev.slipway.metering.ledger.domain;

import dev.slipway.contract.domain.TextEnum;

/** The action that is taken when a balance or a budget is used up. */
public enum LimitAction implements TextEnum {
    /** Publishes an event only. */
    WARN,
    /** Launches are refused. */
    REFUSE_LAUNCHES,
    /** Launches are refused, and instances are stopped after a grace period. */
    STOP_INSTANCES
}
