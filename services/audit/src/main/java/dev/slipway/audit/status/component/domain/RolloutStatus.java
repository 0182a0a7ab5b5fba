package dev.slipway.audit.status.component.domain;

import dev.slipway.contract.domain.TextEnum;

/** The health of a component, from the best to the worst. */
public enum RolloutStatus implements TextEnum {
    READY,
    DEGRADED,
    UNAVAILABLE,
    UNKNOWN;

    /** Returns the worse of the two. */
    public RolloutStatus worse(RolloutStatus other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
