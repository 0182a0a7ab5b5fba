package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.RSAKey;

import java.text.ParseException;
import java.time.Instant;

/** A public key, the issuer that may sign with it, and until when. */
record SigningKey(String issuer, RSASSAVerifier verifier, Instant expiresAt) {

    static SigningKey of(JsonNode payload) {
        try {
            return new SigningKey(
                    payload.path("issuer").asText(),
                    new RSASSAVerifier(RSAKey.parse(payload.path("jwk").toString())),
                    Instant.parse(payload.path("expires_at").asText()));
        } catch (ParseException | JOSEException e) {
            throw new IllegalArgumentException(
                    "not an RSA public key: " + payload.path("kid").asText(), e);
        }
    }
}
