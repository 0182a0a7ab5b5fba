package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

import java.time.Instant;
import java.util.UUID;

/** A person, identified by issuer and subject. */
public record User(UUID id, String issuer, String subject, String displayName, boolean active, Instant createdAt) {

    public ResourceState state() {
        return active ? ResourceState.ACTIVE : ResourceState.DISABLED;
    }

    public User withActive(boolean next) {
        return new User(id, issuer, subject, displayName, next, createdAt);
    }
}
