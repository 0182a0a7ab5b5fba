package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

/**
 * What a service answers: a body with the operation's own success status, or a problem.
 *
 * @param revision of the permissions after this change, where it changed any: sent back, it makes readers wait for it
 * @param etag of the document in the body, where it can be replaced
 */
public record Reply(
        @Nullable Problem problem,
        byte[] body,
        @Nullable String location,
        @Nullable Long revision,
        @Nullable String etag) {
    private static final byte[] NOTHING = {};

    public static Reply of(JsonNode body) {
        return new Reply(null, Json.bytes(body), null, null, null);
    }

    public static Reply of(JsonNode body, @Nullable String location) {
        return new Reply(null, Json.bytes(body), location, null, null);
    }

    public static Reply of(Problem problem) {
        return new Reply(problem, NOTHING, null, null, null);
    }

    public Reply at(long committed) {
        return new Reply(problem, body, location, committed, etag);
    }

    public Reply tagged(String tag) {
        return new Reply(problem, body, location, revision, tag);
    }
}
