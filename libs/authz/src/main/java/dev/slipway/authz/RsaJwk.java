package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import io.vertx.core.json.JsonObject;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Reads and writes RSA keys as JSON Web Keys.
 *
 * <p>Every key passes through here before {@code JWTAuth} gets it: a provider without a readable key accepts unsigned tokens instead of
 * failing, and it prefers the certificate in {@code x5c} to the modulus that we checked.
 */
final class RsaJwk {
    static final String ALGORITHM = "RS256";

    private static final int NEW_KEY_BITS = 2048;
    private static final List<String> PUBLIC_PARAMETERS = List.of("n", "e");
    private static final List<String> PRIVATE_PARAMETERS = List.of("d", "p", "q", "dp", "dq", "qi");

    private RsaJwk() {}

    /** Generates a key pair; takes a noticeable part of a second. */
    static ObjectNode generate(String kid) {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(NEW_KEY_BITS);
            var key = (RSAPrivateCrtKey) generator.generateKeyPair().getPrivate();
            return Json.object()
                    .put("kty", "RSA")
                    .put("use", "sig")
                    .put("alg", ALGORITHM)
                    .put("kid", kid)
                    .put("n", encode(key.getModulus()))
                    .put("e", encode(key.getPublicExponent()))
                    .put("d", encode(key.getPrivateExponent()))
                    .put("p", encode(key.getPrimeP()))
                    .put("q", encode(key.getPrimeQ()))
                    .put("dp", encode(key.getPrimeExponentP()))
                    .put("dq", encode(key.getPrimeExponentQ()))
                    .put("qi", encode(key.getCrtCoefficient()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot generate RSA keys", e);
        }
    }

    /** Returns the public key; throws an {@link IllegalArgumentException} if there is none. */
    static RSAPublicKey publicKey(JsonNode jwk) {
        try {
            var spec = new RSAPublicKeySpec(integer(jwk, "n"), integer(jwk, "e"));
            return (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(spec);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an RSA public key", e);
        }
    }

    /** Returns the JWK that a signature provider needs to verify with this key, and nothing else of it. */
    static JsonObject forVerifying(String kid, JsonNode jwk) {
        return providerJwk(kid, jwk, PUBLIC_PARAMETERS);
    }

    /** Returns the JWK to sign with; throws an {@link IllegalArgumentException} if the private key is missing or unreadable. */
    static JsonObject forSigning(String kid, JsonNode jwk) {
        var key = publicKey(jwk);
        try {
            var spec = new RSAPrivateCrtKeySpec(
                    key.getModulus(),
                    key.getPublicExponent(),
                    integer(jwk, "d"),
                    integer(jwk, "p"),
                    integer(jwk, "q"),
                    integer(jwk, "dp"),
                    integer(jwk, "dq"),
                    integer(jwk, "qi"));
            KeyFactory.getInstance("RSA").generatePrivate(spec);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("not an RSA private key", e);
        }
        var parameters = new java.util.ArrayList<>(PUBLIC_PARAMETERS);
        parameters.addAll(PRIVATE_PARAMETERS);
        return providerJwk(kid, jwk, parameters);
    }

    private static JsonObject providerJwk(String kid, JsonNode jwk, List<String> parameters) {
        var selected = new JsonObject().put("kty", "RSA").put("alg", ALGORITHM).put("kid", kid);
        parameters.forEach(name -> selected.put(name, jwk.path(name).asText()));
        return selected;
    }

    private static BigInteger integer(JsonNode jwk, String parameter) {
        var text = jwk.path(parameter).asText();
        if (text.isEmpty()) {
            throw new IllegalArgumentException("an RSA key lacks the parameter " + parameter);
        }
        return new BigInteger(1, Base64.getUrlDecoder().decode(text));
    }

    private static String encode(BigInteger number) {
        var bytes = number.toByteArray();
        var unsigned = bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(unsigned);
    }
}
