package dev.slipway.audit.evidence.domain;

import java.util.Collection;
import java.util.Locale;

/** The result of a gate, or of all gates of a release. */
public enum GateVerdict {
    PASS,
    BLOCKED,
    WAIVED;

    /** Returns the verdict of a release: the worst of its gates. */
    public static GateVerdict combine(Collection<GateVerdict> gates) {
        if (gates.isEmpty() || gates.contains(BLOCKED)) {
            return BLOCKED;
        }
        return gates.contains(WAIVED) ? WAIVED : PASS;
    }

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static GateVerdict of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
