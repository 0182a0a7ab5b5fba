package dev.slipway.iam.apikey;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** An API key of a user, without its secret. */
record ApiKey(
        UUID apiKeyId,
        String name,
        List<String> actions,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    /** The most active keys of a user. */
    static final int MAX_ACTIVE = 50;
}
