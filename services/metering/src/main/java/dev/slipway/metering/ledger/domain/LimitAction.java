package dev.slipway.metering.ledger.domain;

import java.util.Locale;

/** The action that is taken when a balance or a budget is used up. */
public enum LimitAction {
    /** Publishes an event only. */
    WARN,
    /** Launches are refused. */
    REFUSE_LAUNCHES,
    /** Launches are refused, and instances are stopped after a grace period. */
    STOP_INSTANCES;

    public static LimitAction of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
