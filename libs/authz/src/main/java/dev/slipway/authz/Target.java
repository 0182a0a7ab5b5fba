package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/**
 * Where an action is asked for.
 *
 * @param breakGlass whether the question comes through an admin twin, where platform roles count and no others
 * @param removal whether something is only to be taken away there, which a deleted place allows too
 */
public record Target(
        Kind kind, @Nullable UUID orgId, @Nullable UUID id, boolean breakGlass, boolean removal) {

    /** The kinds of place. */
    public enum Kind {
        /** What belongs to the caller alone. */
        SELF,
        /** The platform itself: only what is held there counts. */
        PLATFORM,
        /** What belongs to no tenant and is open to whoever may do it somewhere, such as the catalog. */
        ANYWHERE,
        ORGANIZATION,
        SHARED_RUNTIME,
        PROJECT
    }

    private static final Target SELF = new Target(Kind.SELF, null, null, false, false);
    private static final Target PLATFORM = new Target(Kind.PLATFORM, null, null, false, false);
    private static final Target ANYWHERE = new Target(Kind.ANYWHERE, null, null, false, false);

    public static Target self() {
        return SELF;
    }

    public static Target platform() {
        return PLATFORM;
    }

    public static Target anywhere() {
        return ANYWHERE;
    }

    public static Target organization(UUID orgId) {
        return new Target(Kind.ORGANIZATION, orgId, orgId, false, false);
    }

    public static Target sharedRuntime(UUID orgId, UUID sharedRuntimeId) {
        return new Target(Kind.SHARED_RUNTIME, orgId, sharedRuntimeId, false, false);
    }

    public static Target project(UUID projectId) {
        return new Target(Kind.PROJECT, null, projectId, false, false);
    }

    /** The same place, reached through the admin twin. */
    public Target throughBreakGlass() {
        return new Target(kind, orgId, id, true, removal);
    }

    /** The same place, to take something away there. */
    public Target forRemoval() {
        return new Target(kind, orgId, id, breakGlass, true);
    }

    UUID organizationId() {
        return Objects.requireNonNull(orgId, "the place names no organization");
    }

    UUID placeId() {
        return Objects.requireNonNull(id, "the place has no id");
    }
}
