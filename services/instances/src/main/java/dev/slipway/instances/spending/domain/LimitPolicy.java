package dev.slipway.instances.spending.domain;

import java.util.Locale;

/** The policy for a balance or a budget that is used up. */
public enum LimitPolicy {
    WARN,
    REFUSE_LAUNCHES,
    STOP_INSTANCES;

    public static LimitPolicy of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
