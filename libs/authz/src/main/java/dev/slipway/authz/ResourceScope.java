package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.UUID;

/**
 * The scope of a decision: where a resource belongs.
 *
 * @param breakGlass whether the call uses an admin variant, where only platform roles count
 * @param removal whether the call only removes something, which is also allowed in deleted scopes
 */
public record ResourceScope(
        Kind kind, @Nullable UUID orgId, @Nullable UUID id, boolean breakGlass, boolean removal) {

    /** The kinds of scope. */
    public enum Kind {
        /** The caller's own data. */
        SELF,
        /** The platform: only platform roles count. */
        PLATFORM,
        /** Resources without a tenant, such as the catalog, for everyone who is allowed the action anywhere. */
        ANYWHERE,
        ORGANIZATION,
        SHARED_RUNTIME,
        PROJECT
    }

    private static final ResourceScope SELF = new ResourceScope(Kind.SELF, null, null, false, false);
    private static final ResourceScope PLATFORM = new ResourceScope(Kind.PLATFORM, null, null, false, false);
    private static final ResourceScope ANYWHERE = new ResourceScope(Kind.ANYWHERE, null, null, false, false);

    public static ResourceScope self() {
        return SELF;
    }

    public static ResourceScope platform() {
        return PLATFORM;
    }

    public static ResourceScope anywhere() {
        return ANYWHERE;
    }

    public static ResourceScope organization(UUID orgId) {
        return new ResourceScope(Kind.ORGANIZATION, orgId, orgId, false, false);
    }

    public static ResourceScope sharedRuntime(UUID orgId, UUID sharedRuntimeId) {
        return new ResourceScope(Kind.SHARED_RUNTIME, orgId, sharedRuntimeId, false, false);
    }

    public static ResourceScope project(UUID projectId) {
        return new ResourceScope(Kind.PROJECT, null, projectId, false, false);
    }

    /** Returns the scope for a call through an admin variant. */
    public ResourceScope withBreakGlass() {
        return new ResourceScope(kind, orgId, id, true, removal);
    }

    /** Returns the scope for a removal. */
    public ResourceScope withRemoval() {
        return new ResourceScope(kind, orgId, id, breakGlass, true);
    }

    UUID requireOrgId() {
        return Objects.requireNonNull(orgId, "the scope has no organization");
    }

    UUID requireId() {
        return Objects.requireNonNull(id, "the scope has no id");
    }
}
