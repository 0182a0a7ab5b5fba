package dev.slipway.iam.tenancy.domain;

import java.util.Set;
import java.util.UUID;

/** The rule that an organization, a project and the platform keep at least one permanent owner. */
public final class Ownership {
    private Ownership() {}

    /** Returns whether every scope that had an owner before a change has one after it. */
    public static boolean isKept(Set<UUID> ownedBefore, Set<UUID> ownedAfter) {
        return ownedAfter.containsAll(ownedBefore);
    }
}
