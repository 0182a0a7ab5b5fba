package dev.slipway.iam.credential.domain;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** A credential, without its secret. */
public record Credential(
        UUID id,
        UUID ownerId,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    /** The most active credentials of an owner: two, so that one can be replaced while the other is in use. */
    public static final int MAX_ACTIVE = 2;

    private static final Duration LAST_USED_RESOLUTION = Duration.ofMinutes(1);

    /** Returns whether a use has to be stored. Once a minute is enough, so that exchanges hardly ever write to the credential's row. */
    public static boolean isUseDue(@Nullable Instant lastUsedAt, Instant now) {
        return lastUsedAt == null || lastUsedAt.isBefore(now.minus(LAST_USED_RESOLUTION));
    }

    /** Returns the time before which a stored use is replaced. */
    public static Instant lastUseBefore(Instant now) {
        return now.minus(LAST_USED_RESOLUTION);
    }

    public Credential withRevokedAt(Instant at) {
        return new Credential(id, ownerId, createdAt, expiresAt, lastUsedAt, at);
    }
}
