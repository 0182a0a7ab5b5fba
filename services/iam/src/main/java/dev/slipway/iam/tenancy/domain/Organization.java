package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

import java.time.Instant;
import java.util.UUID;

/** A tenant. */
public record Organization(
        UUID id, String slug, String displayName, String plan, boolean deleted, Instant createdAt, Instant updatedAt) {

    public static final String DEFAULT_PLAN = "standard";

    public ResourceState state() {
        return ResourceState.deletedIf(deleted);
    }

    public Organization withNameAndPlan(String nextName, String nextPlan, Instant at) {
        return new Organization(id, slug, nextName, nextPlan, deleted, createdAt, at);
    }

    public Organization withDeleted(Instant at) {
        return new Organization(id, slug, displayName, plan, true, createdAt, at);
    }
}
