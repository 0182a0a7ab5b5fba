package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;

import java.util.Base64;

/** The content of a token, decoded without verifying it. */
record DecodedToken(String kid, JsonNode claims) {
    static DecodedToken of(String token) {
        var parts = token.split("\\.", -1);
        return new DecodedToken(decode(parts[0]).path("kid").asText(), decode(parts[1]));
    }

    String jti() {
        return text("jti");
    }

    String subject() {
        return text("sub");
    }

    String text(String claim) {
        return claims.path(claim).asText();
    }

    private static JsonNode decode(String part) {
        return Json.parseTrusted(Base64.getUrlDecoder().decode(part));
    }
}
