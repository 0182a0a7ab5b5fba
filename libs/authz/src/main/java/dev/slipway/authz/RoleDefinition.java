package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/**
 * The actions of a role, and where they count.
 *
 * @param orgId the organization that defined the role; null for a built-in role
 */
record RoleDefinition(Kind kind, @Nullable UUID orgId, Set<String> actions) {

    /** The level that a role can be granted at. */
    enum Kind implements TextEnum {
        PLATFORM,
        ORGANIZATION,
        PROJECT,
        /** Lists all actions that a type of machine principal can be allowed; it cannot be granted. */
        MACHINE
    }

    /** Platform roles count only at the platform, and roles of an organization only inside it. */
    boolean appliesAt(Level level, @Nullable UUID heldInOrg) {
        return switch (kind) {
            case PLATFORM -> level == Level.PLATFORM && orgId == null;
            case ORGANIZATION, PROJECT -> level != Level.PLATFORM && (orgId == null || orgId.equals(heldInOrg));
            case MACHINE -> false;
        };
    }
}
