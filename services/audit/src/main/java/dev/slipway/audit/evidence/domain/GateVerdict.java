package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;

import java.util.Collection;

/** The result of a gate, or of all gates of a release. */
public enum GateVerdict implements TextEnum {
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
}
