package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** A person, as their issuer names them. */
public record User(UUID id, String issuer, String subject, String displayName, boolean active, Instant createdAt) {

    public User withActive(boolean next) {
        return new User(id, issuer, subject, displayName, next, createdAt);
    }
}
