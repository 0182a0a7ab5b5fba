package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;

/** Parses the JSON Web Key Sets of external issuers. */
public final class JwksParser {
    private static final int MAX_KEYS = 50;
    private static final int MAX_KID_LENGTH = 128;
    private static final int MIN_KEY_BITS = 2048;
    /** The members of a public RSA key (RFC 7517 and 7518); private parameters are never stored. */
    private static final List<String> PUBLIC_MEMBERS = List.of(
            "kty", "use", "key_ops", "alg", "kid", "x5u", "x5t", "x5t#S256", "x5c", "exp", "nbf", "iat", "n", "e");

    private JwksParser() {}

    /** A public key and its id. */
    public record PublicJwk(String kid, String publicJwk) {}

    /**
     * Returns the keys that can sign tokens here: RSA for RS256, of at least 2048 bits, with a key id. Throws an {@link
     * IllegalArgumentException} if the text is not a key set, or has no such key or more than 50.
     */
    public static List<PublicJwk> parse(String jwks) {
        var usable = StreamSupport.stream(keys(jwks).spliterator(), false)
                .filter(JwksParser::isUsable)
                .map(key -> new PublicJwk(key.path("kid").asText(), publicJwk(key)))
                .distinct()
                .toList();
        if (usable.isEmpty() || usable.size() > MAX_KEYS) {
            throw new IllegalArgumentException(
                    "The key set has " + usable.size() + " usable keys; 1 to " + MAX_KEYS + " are expected.");
        }
        return usable;
    }

    private static JsonNode keys(String jwks) {
        try {
            var keys = Json.parse(jwks.getBytes(StandardCharsets.UTF_8)).path("keys");
            if (keys.isArray()) {
                return keys;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("The key set is not JSON.", e);
        }
        throw new IllegalArgumentException("The key set has no array \"keys\".");
    }

    private static boolean isUsable(JsonNode key) {
        var kid = key.path("kid").textValue();
        if (kid == null
                || kid.length() > MAX_KID_LENGTH
                || !key.path("kty").asText().equals("RSA")
                || !key.path("use").asText("sig").equals("sig")
                || !key.path("alg").asText(RsaJwk.ALGORITHM).equals(RsaJwk.ALGORITHM)) {
            return false;
        }
        try {
            return RsaJwk.publicKey(key).getModulus().bitLength() >= MIN_KEY_BITS;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String publicJwk(JsonNode key) {
        return Json.text(((ObjectNode) key).deepCopy().retain(PUBLIC_MEMBERS));
    }
}
