package dev.slipway.authz.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/** An RSA key of a test issuer. It signs any header and any claims, also those that Slipway must refuse. */
public final class TestKey {
    private static final Base64.Encoder BASE64URL = Base64.getUrlEncoder().withoutPadding();

    private final String kid;
    private final KeyPair pair;

    private TestKey(String kid, KeyPair pair) {
        this.kid = kid;
        this.pair = pair;
    }

    public static TestKey generate(String kid) {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return new TestKey(kid, generator.generateKeyPair());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns claims of a token that is valid for ten minutes from now. */
    public static ObjectNode claims(String issuer, String subject, String audience, Instant now) {
        return Json.object()
                .put("iss", issuer)
                .put("sub", subject)
                .put("aud", audience)
                .put("iat", now.getEpochSecond())
                .put("exp", now.plusSeconds(600).getEpochSecond())
                .put("jti", UUID.randomUUID().toString());
    }

    public ObjectNode publicJwk() {
        var key = (RSAPublicKey) pair.getPublic();
        return Json.object()
                .put("kty", "RSA")
                .put("e", encode(key.getPublicExponent()))
                .put("kid", kid)
                .put("n", encode(key.getModulus()));
    }

    public ObjectNode privateJwk() {
        var key = (RSAPrivateCrtKey) pair.getPrivate();
        return publicJwk()
                .put("d", encode(key.getPrivateExponent()))
                .put("p", encode(key.getPrimeP()))
                .put("q", encode(key.getPrimeQ()))
                .put("dp", encode(key.getPrimeExponentP()))
                .put("dq", encode(key.getPrimeExponentQ()))
                .put("qi", encode(key.getCrtCoefficient()));
    }

    public String publicJwkText() {
        return Json.text(publicJwk());
    }

    /** Returns a key set with this key alone. */
    public String jwks() {
        var set = Json.object();
        set.putArray("keys").add(publicJwk());
        return Json.text(set);
    }

    public ObjectNode header(String algorithm) {
        return Json.object().put("alg", algorithm).put("typ", "JWT").put("kid", kid);
    }

    public String sign(ObjectNode claims) {
        return sign(header("RS256"), claims);
    }

    /** Signs with the algorithm that the header names; HS256 uses the encoded public key as its secret. */
    public String sign(ObjectNode header, ObjectNode claims) {
        var input = part(header) + "." + part(claims);
        return input + "."
                + BASE64URL.encodeToString(signature(header.path("alg").asText(), input));
    }

    /** Returns header and claims without a signature. */
    public static String unsigned(ObjectNode header, ObjectNode claims) {
        return part(header) + "." + part(claims) + ".";
    }

    public static String part(ObjectNode json) {
        return BASE64URL.encodeToString(Json.bytes(json));
    }

    private byte[] signature(String algorithm, String input) {
        var bytes = input.getBytes(StandardCharsets.US_ASCII);
        try {
            if (algorithm.equals("HS256")) {
                var mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(pair.getPublic().getEncoded(), "HmacSHA256"));
                return mac.doFinal(bytes);
            }
            var signature = Signature.getInstance(
                    switch (algorithm) {
                        case "RS384" -> "SHA384withRSA";
                        case "RS512" -> "SHA512withRSA";
                        case "PS256" -> "RSASSA-PSS";
                        default -> "SHA256withRSA";
                    });
            if (algorithm.equals("PS256")) {
                signature.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1));
            }
            signature.initSign(pair.getPrivate());
            signature.update(bytes);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String encode(BigInteger number) {
        var bytes = number.toByteArray();
        return BASE64URL.encodeToString(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }
}
