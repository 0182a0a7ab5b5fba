package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * What may be held: a name for actions, at a level.
 *
 * @param key what bindings refer to: a built-in role's name, the id of an organization's own
 * @param orgId of an organization's own role; none of a built-in one
 * @param label for people; it allows nothing
 * @param owner whether who holds it owns the place
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

    public Role {
        actions = List.copyOf(actions);
    }

    public boolean builtIn() {
        return orgId == null;
    }

    public Role changed(String nextLabel, List<String> nextActions) {
        return new Role(key, orgId, nextLabel, level, nextActions, owner, removed, version + 1);
    }

    public Role asRemoved() {
        return new Role(key, orgId, label, level, actions, owner, true, version + 1);
    }
}
