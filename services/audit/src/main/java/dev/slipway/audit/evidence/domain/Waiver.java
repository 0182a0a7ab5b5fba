package dev.slipway.audit.evidence.domain;

import java.time.Instant;
import java.util.UUID;

/** A waiver of a gate for a limited time. */
public record Waiver(UUID id, Gate gate, Instant grantedAt, Instant expiresAt) {
    boolean isActive(Instant now) {
        return !now.isBefore(grantedAt) && now.isBefore(expiresAt);
    }
}
