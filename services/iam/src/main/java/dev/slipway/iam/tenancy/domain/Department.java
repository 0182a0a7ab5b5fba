package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** A part of an organization, to which projects belong. */
public record Department(
        UUID id, UUID orgId, String slug, String displayName, boolean isDefault, boolean deleted, Instant createdAt) {

    /** The one that every organization starts with, and keeps. */
    public static Department byDefault(UUID id, UUID orgId, Instant at) {
        return new Department(id, orgId, "default", "Default", true, false, at);
    }

    public Department renamed(String nextName) {
        return new Department(id, orgId, slug, nextName, isDefault, deleted, createdAt);
    }

    public Department asDeleted() {
        return new Department(id, orgId, slug, displayName, isDefault, true, createdAt);
    }
}
