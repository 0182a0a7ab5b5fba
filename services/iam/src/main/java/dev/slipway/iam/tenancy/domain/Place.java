package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;

/** Where a role is held: at the platform, in an organization, in a project. */
public record Place(
        Level level, @Nullable UUID orgId, @Nullable UUID projectId) {

    public static final Place PLATFORM = new Place(Level.PLATFORM, null, null);
    private static final UUID NIL = new UUID(0, 0);

    /** The kinds of place; a role is for one of them. */
    public enum Level {
        PLATFORM,
        ORGANIZATION,
        PROJECT;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Level of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    public static Place organization(UUID orgId) {
        return new Place(Level.ORGANIZATION, orgId, null);
    }

    public static Place project(UUID orgId, UUID projectId) {
        return new Place(Level.PROJECT, orgId, projectId);
    }

    /** One id for any place. */
    public UUID id() {
        if (projectId != null) {
            return projectId;
        }
        return orgId != null ? orgId : NIL;
    }
}
