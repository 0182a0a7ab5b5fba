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

import java.text.ParseException;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.UUID;

/** Signs tokens with one key, for one audience. */
public final class TokenIssuer {
    private final String issuer;
    private final String audience;
    private final RSAKey key;
    private final RSASSASigner signer;

    private TokenIssuer(String issuer, String audience, RSAKey key) throws JOSEException {
        this.issuer = issuer;
        this.audience = audience;
        this.key = key;
        this.signer = new RSASSASigner(key);
    }

    public static TokenIssuer withNewKey(String issuer) {
        return withNewKey(issuer, TokenVerifier.AUDIENCE);
    }

    /** Makes a new key; takes a noticeable part of a second. */
    public static TokenIssuer withNewKey(String issuer, String audience) {
        try {
            var key = new RSAKeyGenerator(2048)
                    .keyID(Ids.next().toString())
                    .keyUse(KeyUse.SIGNATURE)
                    .algorithm(JWSAlgorithm.RS256)
                    .generate();
            return new TokenIssuer(issuer, audience, key);
        } catch (JOSEException e) {
            throw new IllegalStateException("this JVM cannot make RSA keys", e);
        }
    }

    /** With a key that was kept, by {@link #privateJwk}. */
    public static TokenIssuer withKey(String issuer, String audience, String privateJwk) {
        try {
            return new TokenIssuer(issuer, audience, RSAKey.parse(privateJwk));
        } catch (ParseException | JOSEException e) {
            throw new IllegalArgumentException("not an RSA private key", e);
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

    /** All of the key, as a JSON Web Key: for nobody's eyes, to be kept encrypted. */
    public String privateJwk() {
        return key.toJSONString();
    }

    public String sign(String subject, Instant issuedAt, Instant expiresAt, Map<String, String> claims) {
        return sign(Ids.next(), subject, issuedAt, expiresAt, claims);
    }

    /** Takes about a millisecond: not for an event loop. */
    public String sign(UUID jti, String subject, Instant issuedAt, Instant expiresAt, Map<String, String> claims) {
        var set = new JWTClaimsSet.Builder()
                .issuer(issuer)
                .subject(subject)
                .audience(audience)
                .issueTime(Date.from(issuedAt))
                .expirationTime(Date.from(expiresAt))
                .jwtID(jti.toString());
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

    @Override
    public String toString() {
        return "TokenIssuer[" + issuer + ", " + kid() + "]"; // the key stays out of logs
    }
}
