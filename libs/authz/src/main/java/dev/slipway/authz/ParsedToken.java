package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A signed JWT whose parts were decoded and not verified. */
record ParsedToken(String text, JsonNode header, JsonNode claims, int signatureBytes) {
    private static final int MAX_LENGTH = 8_192;
    /** The end of the year 9999: later times do not fit everywhere that they are written to. */
    private static final long MAX_EPOCH_SECOND = 253_402_300_799L;

    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    /**
     * Decodes a token; throws an {@link IllegalArgumentException} if it is not a signed JWT in its one canonical form. A token with two
     * spellings could be revoked in one and used in the other.
     */
    static ParsedToken parse(String token) {
        if (token.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("longer than " + MAX_LENGTH + " characters");
        }
        var parts = token.split("\\.", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("not three parts");
        }
        return new ParsedToken(token, json(parts[0]), json(parts[1]), decode(parts[2]).length);
    }

    /** Returns whether the header allows the token to be verified here: RS256, a token type that we know, and no critical extensions. */
    boolean isVerifiable() {
        var type = header.path("typ");
        return RsaJwk.ALGORITHM.equals(header.path("alg").textValue())
                && !header.has("crit")
                && (type.isMissingNode() || TYPES.contains(type.asText().toLowerCase(Locale.ROOT)));
    }

    @Nullable
    String kid() {
        return header.path("kid").textValue();
    }

    /** Returns a claim, or null if it is missing or not a text. */
    @Nullable
    String claim(String name) {
        return claims.path(name).textValue();
    }

    /** Returns a claim's time, or null if it is missing; throws an {@link IllegalArgumentException} if it is not a time. */
    @Nullable
    Instant time(String name) {
        var value = claims.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (!value.isNumber()
                || !value.canConvertToLong()
                || value.longValue() < 0
                || value.longValue() > MAX_EPOCH_SECOND) {
            throw new IllegalArgumentException(name + " is not a time");
        }
        return Instant.ofEpochSecond(value.longValue());
    }

    Set<String> audiences() {
        var audience = claims.path("aud");
        return audience.isTextual()
                ? Set.of(audience.asText())
                : StreamSupport.stream(audience.spliterator(), false)
                        .map(JsonNode::asText)
                        .collect(Collectors.toUnmodifiableSet());
    }

    private static JsonNode json(String part) {
        try {
            var node = Json.parse(decode(part));
            if (!node.isObject()) {
                throw new IllegalArgumentException("not a JSON object");
            }
            return node;
        } catch (IOException e) {
            throw new IllegalArgumentException("not JSON", e);
        }
    }

    private static byte[] decode(String part) {
        var bytes = Base64.getUrlDecoder().decode(part);
        if (bytes.length == 0
                || !Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(bytes)
                        .equals(part)) {
            throw new IllegalArgumentException("not canonical base64url");
        }
        return bytes;
    }
}
