package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** Users of an organization who hold what the group holds. */
public record Group(UUID id, UUID orgId, String slug, String displayName, boolean deleted, Instant createdAt) {

    public Group renamed(String nextName) {
        return new Group(id, orgId, slug, nextName, deleted, createdAt);
    }

    public Group asDeleted() {
        return new Group(id, orgId, slug, displayName, true, createdAt);
    }
}
