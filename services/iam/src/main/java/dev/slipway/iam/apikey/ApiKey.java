package dev.slipway.iam.apikey;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A person's key for a program, without its secret. */
record ApiKey(
        UUID id,
        String name,
        List<String> actions,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    ObjectNode json() {
        var node = Json.object().put("api_key_id", id.toString()).put("name", name);
        var array = node.putArray("actions");
        actions.forEach(array::add);
        return node.put("created_at", createdAt.toString())
                .put("expires_at", expiresAt.toString())
                .put("last_used_at", lastUsedAt == null ? null : lastUsedAt.toString())
                .put("revoked_at", revokedAt == null ? null : revokedAt.toString());
    }
}
