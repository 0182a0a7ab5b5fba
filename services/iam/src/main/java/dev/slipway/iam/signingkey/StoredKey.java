package dev.slipway.iam.signingkey;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * A key as it is kept.
 *
 * @param sealed the encrypted private half; null for the keys of other issuers
 * @param signsFrom when it begins to sign; null for the keys of other issuers
 */
record StoredKey(
        String kid,
        String issuer,
        String publicJwk,
        @Nullable Buffer sealed,
        @Nullable Instant signsFrom,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant revokedAt,
        @Nullable String audience,
        @Nullable String nameClaim) {

    /** For callers, who are told which of the keys signs now. */
    ObjectNode json(Instant now, @Nullable String signing) {
        return Json.object()
                .put("kid", kid)
                .put("issuer", issuer)
                .put("state", state(now, signing))
                .put("created_at", createdAt.toString())
                .put("signs_from", signsFrom == null ? null : signsFrom.toString())
                .put("expires_at", expiresAt.toString())
                .put("revoked_at", revokedAt == null ? null : revokedAt.toString())
                .put("age_seconds", Math.max(0, Duration.between(createdAt, now).toSeconds()));
    }

    private String state(Instant now, @Nullable String signing) {
        if (revokedAt != null) {
            return "revoked";
        }
        if (now.isAfter(expiresAt)) {
            return "expired";
        }
        if (signsFrom != null && kid.equals(signing)) {
            return "signing";
        }
        return signsFrom != null && signsFrom.isAfter(now) ? "next" : "verifying";
    }

    /** For authz.signing_key. */
    ObjectNode announced() {
        var payload = Json.object().put("kid", kid).put("issuer", issuer);
        payload.set("jwk", Json.trusted(publicJwk));
        payload.put("expires_at", expiresAt.toString());
        if (revokedAt != null) {
            payload.put("revoked", true);
        }
        if (audience != null) {
            payload.put("audience", audience);
        }
        if (nameClaim != null) {
            payload.put("name_claim", nameClaim);
        }
        return payload;
    }
}
