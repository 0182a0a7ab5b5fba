package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

import java.time.Instant;
import java.util.UUID;

/** Users of an organization who share the group's role bindings. */
public record Group(UUID id, UUID orgId, String slug, String displayName, boolean deleted, Instant createdAt) {

    public ResourceState state() {
        return ResourceState.deletedIf(deleted);
    }

    public Group withDisplayName(String nextName) {
        return new Group(id, orgId, slug, nextName, deleted, createdAt);
    }

    public Group withDeleted() {
        return new Group(id, orgId, slug, displayName, true, createdAt);
    }
}
