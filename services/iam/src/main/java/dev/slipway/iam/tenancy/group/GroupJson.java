package dev.slipway.iam.tenancy.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.GroupMember;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** The JSON of groups and their members. */
final class GroupJson {
    private GroupJson() {}

    record CreateGroup(String slug, String displayName) {}

    record UpdateGroup(@Nullable String displayName) {}

    private record GroupView(
            UUID id, UUID orgId, String slug, String displayName, ResourceState state, Instant createdAt) {}

    private record MemberView(UUID groupId, UUID userId, String displayName, ResourceState state, Instant addedAt) {}

    static ObjectNode of(Group group) {
        return Json.toObject(new GroupView(
                group.id(), group.orgId(), group.slug(), group.displayName(), group.state(), group.createdAt()));
    }

    static ObjectNode of(GroupMember member) {
        return Json.toObject(new MemberView(
                member.groupId(), member.userId(), member.displayName(), member.state(), member.addedAt()));
    }
}
