package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The scope of a role binding: the platform, an organization or a project. */
public record BindingScope(
        Level level, @Nullable UUID orgId, @Nullable UUID projectId) {

    public static final BindingScope PLATFORM = new BindingScope(Level.PLATFORM, null, null);
    private static final UUID PLATFORM_ID = new UUID(0, 0);

    /** The kinds of scope; a role can be granted at one of them. */
    public enum Level implements TextEnum {
        PLATFORM,
        ORGANIZATION,
        PROJECT
    }

    public static BindingScope organization(UUID orgId) {
        return new BindingScope(Level.ORGANIZATION, orgId, null);
    }

    public static BindingScope project(UUID orgId, UUID projectId) {
        return new BindingScope(Level.PROJECT, orgId, projectId);
    }

    /** Returns the id of the project or organization; the platform has the nil UUID. */
    public UUID id() {
        if (projectId != null) {
            return projectId;
        }
        return orgId != null ? orgId : PLATFORM_ID;
    }
}
