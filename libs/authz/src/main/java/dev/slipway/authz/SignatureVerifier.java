package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.authentication.TokenCredentials;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;

/**
 * Verifies RS256 signatures with one public key.
 *
 * <p>One provider per key: {@link TokenVerifier} chooses the key by issuer and key id, and compares times with its own clock.
 */
final class SignatureVerifier {
    private final JWTAuth provider;
    private final int signatureBytes;

    /** Throws an {@link IllegalArgumentException} if the JWK has no RSA public key. */
    SignatureVerifier(String kid, JsonNode jwk) {
        signatureBytes = (RsaJwk.publicKey(jwk).getModulus().bitLength() + 7) / 8;
        provider = JWTAuth.create(
                null, // Vert.x is only needed to read key stores from files
                new JWTAuthOptions()
                        .addJwk(RsaJwk.forVerifying(kid, jwk))
                        .setJWTOptions(new JWTOptions().setIgnoreExpiration(true)));
    }

    /** Takes about 40 µs. The provider would pad a short signature, so that several texts of one token were valid. */
    boolean verify(ParsedToken token) {
        if (token.signatureBytes() != signatureBytes) {
            return false;
        }
        try {
            return provider.authenticate(new TokenCredentials(token.text())).succeeded();
        } catch (RuntimeException e) {
            return false; // thrown, not returned, for claims of an unexpected type
        }
    }
}
