package dev.slipway.metering.rating.domain;

import dev.slipway.contract.domain.TextEnum;

/** The method that divides the cost of a shared runtime between projects. */
public enum SplitMethod implements TextEnum {
    OWNER_PAYS,
    EQUAL,
    BY_USAGE,
    BY_CONTRIBUTED_CAPACITY,
    FIXED_SHARES;

    /** Returns whether the weights are quantities of a unit. */
    public boolean needsWeightUnit() {
        return this == BY_USAGE || this == BY_CONTRIBUTED_CAPACITY;
    }
}
