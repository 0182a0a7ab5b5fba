package dev.slipway.policy;

import java.util.Locale;

/** Levels of policy, from the widest to the most specific. Each can only narrow the levels above it. */
public enum PolicyLevel {
    GLOBAL,
    PLAN,
    ORGANIZATION,
    DEPARTMENT,
    PROJECT,
    /** The policy overrides of a project's entitlement to one app. */
    ENTITLEMENT;

    public static PolicyLevel of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isAbove(PolicyLevel other) {
        return compareTo(other) < 0;
    }
}
