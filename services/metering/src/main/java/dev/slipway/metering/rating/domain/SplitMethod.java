package dev.slipway.metering.rating.domain;

import java.util.Locale;

/** The method that divides the cost of a shared runtime between projects. */
public enum SplitMethod {
    OWNER_PAYS,
    EQUAL,
    BY_USAGE,
    BY_CONTRIBUTED_CAPACITY,
    FIXED_SHARES;

    public static SplitMethod of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the weights are quantities of a unit. */
    public boolean needsWeightUnit() {
        return this == BY_USAGE || this == BY_CONTRIBUTED_CAPACITY;
    }
}
