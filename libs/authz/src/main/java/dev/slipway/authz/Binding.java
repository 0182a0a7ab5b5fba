package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * A role held somewhere, by a principal or by a group.
 *
 * @param expiresAt from then on it counts no more; null when it lasts
 */
public record Binding(
        UUID id,
        UUID principalId,
        String role,
        Level level,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        @Nullable Instant expiresAt) {
    /** The platform has no id; this one stands where a place is looked up. */
    static final UUID PLATFORM = new UUID(0, 0);

    /** Where a role is held. */
    public enum Level {
        PLATFORM,
        ORGANIZATION,
        PROJECT;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** Null for a level that only a newer IAM knows. */
        static @Nullable Level of(String text) {
            for (var level : values()) {
                if (level.text.equals(text)) {
                    return level;
                }
            }
            return null;
        }

        public String text() {
            return text;
        }
    }

    public boolean expired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }

    /** The id of where it is held; null in a record that names none, which is then held nowhere. */
    @Nullable
    UUID place() {
        return switch (level) {
            case PLATFORM -> PLATFORM;
            case ORGANIZATION -> orgId;
            case PROJECT -> projectId;
        };
    }

    boolean isAt(Level asked, UUID place) {
        return level == asked && place.equals(place());
    }
}
