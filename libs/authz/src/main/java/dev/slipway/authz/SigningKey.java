package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.RSAKey;
import org.jspecify.annotations.Nullable;

import java.text.ParseException;
import java.time.Instant;

/**
 * A public key, the issuer that may sign with it, and until when.
 *
 * @param audience whom the issuer's tokens are for; null for the platform's own audience
 * @param nameClaim where the issuer's tokens say what their subject is called; null where nobody asks
 */
record SigningKey(
        String issuer,
        @Nullable String audience,
        @Nullable String nameClaim,
        RSASSAVerifier verifier,
        Instant expiresAt,
        boolean revoked) {

    static SigningKey of(JsonNode payload) {
        try {
            return new SigningKey(
                    payload.path("issuer").asText(),
                    text(payload, "audience"),
                    text(payload, "name_claim"),
                    new RSASSAVerifier(RSAKey.parse(payload.path("jwk").toString())),
                    Instant.parse(payload.path("expires_at").asText()),
                    payload.path("revoked").asBoolean());
        } catch (ParseException | JOSEException e) {
            throw new IllegalArgumentException(
                    "not an RSA public key: " + payload.path("kid").asText(), e);
        }
    }

    private static @Nullable String text(JsonNode payload, String field) {
        return payload.path(field).isTextual() ? payload.path(field).asText() : null;
    }
}
