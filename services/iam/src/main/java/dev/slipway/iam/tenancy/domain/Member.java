package dev.slipway.iam.tenancy.domain;

import java.time.Instant;
import java.util.UUID;

/** A user in a group, or one who was. */
public record Member(UUID groupId, UUID orgId, UUID userId, String displayName, boolean removed, Instant addedAt) {

    public Member asRemoved() {
        return new Member(groupId, orgId, userId, displayName, true, addedAt);
    }
}
