package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.ResourceState;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * A named set of actions that can be granted at one level.
 *
 * @param key the value that bindings refer to: the name of a built-in role, the id of an organization's own
 * @param orgId the organization that defined the role; null for a built-in role
 * @param label the display name
 * @param owner whether a user with this role counts as an owner of the scope
 */
public record Role(
        String key,
        @Nullable UUID orgId,
        String label,
        String level,
        List<String> actions,
        boolean owner,
        boolean removed,
        int version) {

    /** The most roles that an organization can define. */
    public static final int MAX_PER_ORGANIZATION = 200;

    public Role {
        actions = List.copyOf(actions);
    }

    public boolean isBuiltIn() {
        return orgId == null;
    }

    public ResourceState state() {
        return ResourceState.deletedIf(removed);
    }

    /** Returns the actions that this version of a role has and the previous one had not. */
    public List<String> actionsAddedTo(List<String> previous) {
        return actions.stream().filter(action -> !previous.contains(action)).toList();
    }

    public Role withLabelAndActions(String nextLabel, List<String> nextActions) {
        return new Role(key, orgId, nextLabel, level, nextActions, owner, removed, version + 1);
    }

    public Role withRemoved() {
        return new Role(key, orgId, label, level, actions, owner, true, version + 1);
    }
}
