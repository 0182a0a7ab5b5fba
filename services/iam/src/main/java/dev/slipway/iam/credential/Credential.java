package dev.slipway.iam.credential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

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

    ObjectNode json() {
        return Json.object()
                .put("credential_id", id.toString())
                .put("owner_id", ownerId.toString())
                .put("created_at", createdAt.toString())
                .put("expires_at", text(expiresAt))
                .put("last_used_at", text(lastUsedAt))
                .put("revoked_at", text(revokedAt));
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
