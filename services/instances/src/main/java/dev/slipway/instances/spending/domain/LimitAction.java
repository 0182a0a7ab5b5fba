package dev.slipway.instances.spending.domain;

import java.util.Locale;

/** The action that is taken when a balance or a budget is used up. */
public enum LimitAction {
    WARN,
    REFUSE_LAUNCHES,
    STOP_INSTANCES;

    public static LimitAction of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
