package dev.slipway.authz;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.slipway.contract.Ids;

import java.time.Instant;
import java.util.Date;
import java.util.Map;

/** Signs tokens with a key of its own, which never leaves the process; only its public half is published. */
public final class TokenIssuer {
    private final String issuer;
    private final RSAKey key;
    private final RSASSASigner signer;

    private TokenIssuer(String issuer, RSAKey key) throws JOSEException {
        this.issuer = issuer;
        this.key = key;
        this.signer = new RSASSASigner(key);
    }

    /** Makes a new key; takes a noticeable part of a second. */
    public static TokenIssuer withNewKey(String issuer) {
        try {
            var key = new RSAKeyGenerator(2048)
                    .keyID(Ids.next().toString())
                    .keyUse(KeyUse.SIGNATURE)
                    .algorithm(JWSAlgorithm.RS256)
                    .generate();
            return new TokenIssuer(issuer, key);
        } catch (JOSEException e) {
            throw new IllegalStateException("this JVM cannot make RSA keys", e);
        }
    }

    public String issuer() {
        return issuer;
    }

    public String kid() {
        return key.getKeyID();
    }

    /** The public half, as a JSON Web Key. */
    public String publicJwk() {
        return key.toPublicJWK().toJSONString();
    }

    public String sign(String subject, Instant issuedAt, Instant expiresAt, Map<String, String> claims) {
        var set = new JWTClaimsSet.Builder()
                .issuer(issuer)
                .subject(subject)
                .audience(TokenVerifier.AUDIENCE)
                .issueTime(Date.from(issuedAt))
                .expirationTime(Date.from(expiresAt))
                .jwtID(Ids.next().toString());
        claims.forEach(set::claim);
        var jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(kid()).build(), set.build());
        try {
            jwt.sign(signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("cannot sign", e);
        }
        return jwt.serialize();
    }
}
