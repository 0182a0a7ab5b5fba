package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

import java.time.Instant;
import java.util.UUID;

/** A part of an organization that projects belong to. */
public record Department(
        UUID id, UUID orgId, String slug, String displayName, boolean isDefault, boolean deleted, Instant createdAt) {

    /** Creates the department that every organization starts with and that cannot be deleted. */
    public static Department createDefault(UUID id, UUID orgId, Instant at) {
        return new Department(id, orgId, "default", "Default", true, false, at);
    }

    public ResourceState state() {
        return ResourceState.deletedIf(deleted);
    }

    public Department withDisplayName(String nextName) {
        return new Department(id, orgId, slug, nextName, isDefault, deleted, createdAt);
    }

    public Department withDeleted() {
        return new Department(id, orgId, slug, displayName, isDefault, true, createdAt);
    }
}
