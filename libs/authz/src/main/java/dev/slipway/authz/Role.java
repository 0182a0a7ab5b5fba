package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;
import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.UUID;

/**
 * What a role grants, and where that counts.
 *
 * @param orgId the organization whose own role this is; null when built in
 */
record Role(Kind kind, @Nullable UUID orgId, Set<String> actions) {

    /** What a role is made for. */
    enum Kind {
        PLATFORM,
        ORGANIZATION,
        PROJECT,
        /** The most that a kind of machine can ever be allowed; nobody holds it by a binding. */
        MACHINE
    }

    /** Platform roles count at the platform alone, a tenant's own roles inside the tenant alone. */
    boolean countsAt(Level level, @Nullable UUID heldInOrg) {
        return switch (kind) {
            case PLATFORM -> level == Level.PLATFORM && orgId == null;
            case ORGANIZATION, PROJECT -> level != Level.PLATFORM && (orgId == null || orgId.equals(heldInOrg));
            case MACHINE -> false;
        };
    }
}
