package dev.slipway.authz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;

import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/** Signs tokens with one RS256 key, for one issuer and audience. */
public final class TokenSigner {
    private final String issuer;
    private final String audience;
    private final ObjectNode jwk;
    /** A provider signs one token at a time, so each processor gets its own. */
    private final JWTAuth[] providers;

    private TokenSigner(String issuer, String audience, ObjectNode jwk) {
        this.issuer = issuer;
        this.audience = audience;
        this.jwk = jwk;
        var options = new JWTAuthOptions().addJwk(RsaJwk.forSigning(kid(), jwk));
        this.providers = IntStream.range(0, Runtime.getRuntime().availableProcessors())
                .mapToObj(i -> JWTAuth.create(null, options)) // Vert.x is only needed to read key stores from files
                .toArray(JWTAuth[]::new);
    }

    public static TokenSigner withNewKey(String issuer) {
        return withNewKey(issuer, TokenVerifier.AUDIENCE);
    }

    /** Generates a key; takes a noticeable part of a second. */
    public static TokenSigner withNewKey(String issuer, String audience) {
        return new TokenSigner(issuer, audience, RsaJwk.generate(Ids.next().toString()));
    }

    /** Uses a key that {@link #privateJwk} returned; throws an {@link IllegalArgumentException} for anything else. */
    public static TokenSigner withKey(String issuer, String audience, String privateJwk) {
        try {
            return new TokenSigner(issuer, audience, Json.parseStoredObject(privateJwk));
        } catch (UncheckedIOException | ClassCastException e) {
            throw new IllegalArgumentException("not a JSON Web Key", e);
        }
    }

    public String issuer() {
        return issuer;
    }

    public String kid() {
        return jwk.path("kid").asText();
    }

    /** Returns the public key as a JSON Web Key. */
    public String publicJwk() {
        return Json.text(jwk.deepCopy().retain("kty", "e", "use", "kid", "alg", "n"));
    }

    /** Returns the private key as a JSON Web Key. Store it encrypted, and never log it. */
    public String privateJwk() {
        return Json.text(jwk);
    }

    public String sign(String subject, Instant issuedAt, Instant expiresAt, Map<String, String> claims) {
        return sign(Ids.next(), subject, issuedAt, expiresAt, claims);
    }

    /** Takes about a millisecond: do not call it on an event loop. */
    public String sign(UUID jti, String subject, Instant issuedAt, Instant expiresAt, Map<String, String> claims) {
        var payload = new JsonObject()
                .put("iss", issuer)
                .put("sub", subject)
                .put("aud", audience)
                .put("iat", issuedAt.getEpochSecond())
                .put("exp", expiresAt.getEpochSecond())
                .put("jti", jti.toString());
        claims.forEach(payload::put);
        var provider = providers[(int) (Thread.currentThread().getId() % providers.length)];
        return provider.generateToken(
                payload, new JWTOptions().setAlgorithm(RsaJwk.ALGORITHM).setNoTimestamp(true));
    }

    @Override
    public String toString() {
        return "TokenSigner[" + issuer + ", " + kid() + "]"; // without the private key
    }
}
