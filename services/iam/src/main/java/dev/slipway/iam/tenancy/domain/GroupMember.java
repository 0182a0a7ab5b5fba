package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;

import java.time.Instant;
import java.util.UUID;

/** A current or former member of a group. */
public record GroupMember(UUID groupId, UUID orgId, UUID userId, String displayName, boolean removed, Instant addedAt) {

    public ResourceState state() {
        return removed ? ResourceState.REMOVED : ResourceState.ACTIVE;
    }

    public GroupMember withRemoved() {
        return new GroupMember(groupId, orgId, userId, displayName, true, addedAt);
    }
}
