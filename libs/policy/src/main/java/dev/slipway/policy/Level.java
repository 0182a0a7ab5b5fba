package dev.slipway.policy;

import java.util.Locale;

/** Who speaks, from the widest to the most specific. Each may only narrow what those before it leave. */
public enum Level {
    GLOBAL,
    PLAN,
    ORGANIZATION,
    DEPARTMENT,
    PROJECT,
    /** What a project's entitlement to one app says: the last word, on that app alone. */
    ENTITLEMENT;

    public static Level of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isAbove(Level other) {
        return compareTo(other) < 0;
    }
}
