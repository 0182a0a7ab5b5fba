package dev.slipway.audit.status.component.domain;

import java.util.Locale;

/** The health of a component, from the best to the worst. */
public enum RolloutStatus {
    READY,
    DEGRADED,
    UNAVAILABLE,
    UNKNOWN;

    public static RolloutStatus of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Returns the worse of the two. */
    public RolloutStatus worse(RolloutStatus other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
