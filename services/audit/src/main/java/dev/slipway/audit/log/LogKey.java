package dev.slipway.audit.log;

import io.vertx.core.buffer.Buffer;

import java.time.Instant;

/**
 * A stored checkpoint key.
 *
 * @param publicKey 32 bytes in Base64
 * @param rotatesAt when its successor is created
 * @param expiresAt when it stops signing
 */
record LogKey(String publicKey, Buffer encryptedPrivateKey, Instant createdAt, Instant rotatesAt, Instant expiresAt) {
    boolean isActive(Instant now) {
        return now.isBefore(expiresAt);
    }
}
