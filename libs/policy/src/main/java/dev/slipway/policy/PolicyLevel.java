package dev.slipway.policy;

import dev.slipway.contract.domain.TextEnum;

/** Levels of policy, from the widest to the most specific. Each can only narrow the levels above it. */
public enum PolicyLevel implements TextEnum {
    GLOBAL,
    PLAN,
    ORGANIZATION,
    DEPARTMENT,
    PROJECT,
    /** The policy overrides of a project's entitlement to one app. */
    ENTITLEMENT;

    public boolean isAbove(PolicyLevel other) {
        return compareTo(other) < 0;
    }
}
