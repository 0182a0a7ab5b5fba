package dev.slipway.audit.status.incident.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;

/** An alert; the fingerprint identifies it within its group. */
public record Alert(
        String fingerprint,
        String name,
        boolean isFiring,
        Map<String, String> labels,
        Instant startsAt,
        @Nullable Instant endsAt) {

    /** The states of alerts. */
    public enum State implements TextEnum {
        FIRING,
        RESOLVED
    }

    public State state() {
        return isFiring ? State.FIRING : State.RESOLVED;
    }

    /** Returns a copy that is no longer firing. */
    Alert resolvedAt(Instant time) {
        return isFiring ? new Alert(fingerprint, name, false, labels, startsAt, time) : this;
    }
}
