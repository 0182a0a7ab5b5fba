package dev.slipway.iam.signingkey;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * A stored key.
 *
 * @param encryptedPrivateKey null for keys of external issuers
 * @param signsFrom when it begins to sign; null for keys of external issuers
 */
record StoredSigningKey(
        String kid,
        String issuer,
        String publicJwk,
        @Nullable Buffer encryptedPrivateKey,
        @Nullable Instant signsFrom,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable String audience,
        @Nullable String nameClaim) {}
