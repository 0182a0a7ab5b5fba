package dev.slipway.authz;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;

import java.text.ParseException;
import java.util.List;

/** The keys that an issuer publishes, as far as tokens may be signed with them here. */
public final class IssuerKeySet {
    private static final int MAX_KEYS = 50;
    private static final int MAX_KID = 128;
    private static final int MIN_BITS = 2048;

    private IssuerKeySet() {}

    /** A public key and its name. */
    public record Key(String kid, String publicJwk) {}

    /**
     * Reads a JSON Web Key Set. Keys of other kinds or for other uses are passed over; a set without a single usable key, or with more
     * than anyone needs, is no set: throws an {@link IllegalArgumentException}.
     */
    public static List<Key> read(String jwks) {
        List<JWK> all;
        try {
            all = JWKSet.parse(jwks).getKeys();
        } catch (ParseException e) {
            throw new IllegalArgumentException("not a JSON Web Key Set: " + e.getMessage());
        }
        var usable = all.stream()
                .filter(IssuerKeySet::isUsable)
                .map(key -> new Key(key.getKeyID(), key.toPublicJWK().toJSONString()))
                .distinct()
                .toList();
        if (usable.isEmpty() || usable.size() > MAX_KEYS) {
            throw new IllegalArgumentException(usable.size() + " usable keys; 1 to " + MAX_KEYS + " are expected");
        }
        return usable;
    }

    private static boolean isUsable(JWK key) {
        if (!(key instanceof RSAKey rsa)
                || key.getKeyID() == null
                || key.getKeyID().length() > MAX_KID) {
            return false;
        }
        try {
            var verifier = new RSASSAVerifier(rsa);
            return verifier.supportedJWSAlgorithms().contains(JWSAlgorithm.RS256)
                    && rsa.size() >= MIN_BITS
                    && (key.getKeyUse() == null || KeyUse.SIGNATURE.equals(key.getKeyUse()))
                    && (key.getAlgorithm() == null || JWSAlgorithm.RS256.equals(key.getAlgorithm()));
        } catch (JOSEException | IllegalArgumentException e) {
            return false;
        }
    }
}
