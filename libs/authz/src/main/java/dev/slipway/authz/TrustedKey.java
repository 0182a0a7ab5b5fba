package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * A public key, the issuer that signs tokens with it, and until when it is trusted.
 *
 * @param audience the audience that the issuer's tokens must name; null for the platform's own
 * @param nameClaim the claim with the subject's display name; null if the issuer's tokens have none
 */
record TrustedKey(
        String issuer,
        @Nullable String audience,
        @Nullable String nameClaim,
        SignatureVerifier verifier,
        Instant expiresAt,
        boolean revoked) {

    /** Reads the payload of {@code authz.signing_key}. */
    static TrustedKey of(JsonNode payload) {
        return new TrustedKey(
                payload.path("issuer").asText(),
                payload.path("audience").textValue(),
                payload.path("name_claim").textValue(),
                new SignatureVerifier(payload.path("kid").asText(), payload.path("jwk")),
                Instant.parse(payload.path("expires_at").asText()),
                payload.path("revoked").asBoolean());
    }
}
