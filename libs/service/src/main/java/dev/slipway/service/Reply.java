package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

/** What a service answers: a body with the operation's own success status, or a problem. */
public record Reply(
        @Nullable Problem problem, byte[] body, @Nullable String location) {
    private static final byte[] NOTHING = {};

    public static Reply of(JsonNode body) {
        return new Reply(null, Json.bytes(body), null);
    }

    public static Reply of(JsonNode body, String location) {
        return new Reply(null, Json.bytes(body), location);
    }

    public static Reply of(Problem problem) {
        return new Reply(problem, NOTHING, null);
    }
}
