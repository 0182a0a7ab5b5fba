package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/**
 * A role held by a user or a group at a place, perhaps only for a time.
 *
 * @param removedAt since when it is history
 */
public record RoleBinding(
        UUID id,
        Holder holder,
        UUID principalId,
        String role,
        Place place,
        @Nullable Instant expiresAt,
        Instant createdAt,
        @Nullable Instant removedAt) {

    /** Who can hold a role. */
    public enum Holder {
        USER,
        GROUP;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Holder of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    public boolean removed() {
        return removedAt != null;
    }

    public RoleBinding ending(@Nullable Instant at) {
        return new RoleBinding(id, holder, principalId, role, place, at, createdAt, removedAt);
    }

    public RoleBinding removed(Instant at) {
        return new RoleBinding(id, holder, principalId, role, place, expiresAt, createdAt, at);
    }
}
