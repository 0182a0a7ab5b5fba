package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.UUID;

/** A role held by a principal somewhere. */
public record Binding(
        UUID id,
        UUID principalId,
        String role,
        Level level,
        @Nullable UUID orgId,
        @Nullable UUID projectId) {

    /** Where a role is held. */
    public enum Level {
        PLATFORM,
        ORGANIZATION,
        PROJECT;

        static Level of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
