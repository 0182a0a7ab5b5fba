package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/**
 * The reply of a service: a body, sent with the success status of the API operation, or a problem.
 *
 * @param revision the authorization revision of this change, if it changed permissions; a client sends it back as X-Revision
 * @param etag the ETag of the document in the body, if it can be replaced
 * @param headers other headers of the response, which the contract declares; browsers of other origins can read those that the gateway exposes
 */
public record Reply(
        @Nullable Problem problem,
        byte[] body,
        @Nullable String location,
        @Nullable Long revision,
        @Nullable String etag,
        Map<String, String> headers) {
    private static final byte[] EMPTY_BODY = {};

    public static Reply of(JsonNode body) {
        return new Reply(null, Json.bytes(body), null, null, null, Map.of());
    }

    public static Reply of(JsonNode body, @Nullable String location) {
        return new Reply(null, Json.bytes(body), location, null, null, Map.of());
    }

    /** Returns a reply whose body is the record as JSON. */
    public static Reply ofRecord(Object body) {
        return new Reply(null, Json.bytes(body), null, null, null, Map.of());
    }

    /** Returns a reply whose body is the record as JSON, with the path of what was created. */
    public static Reply ofRecord(Object body, @Nullable String location) {
        return new Reply(null, Json.bytes(body), location, null, null, Map.of());
    }

    /** Returns a reply whose body is not JSON; the contract declares its media type. */
    public static Reply ofBytes(byte[] body) {
        return new Reply(null, body, null, null, null, Map.of());
    }

    public static Reply of(Problem problem) {
        return new Reply(problem, EMPTY_BODY, null, null, null, Map.of());
    }

    public Reply withRevision(long committed) {
        return new Reply(problem, body, location, committed, etag, headers);
    }

    public Reply withETag(String tag) {
        return new Reply(problem, body, location, revision, tag, headers);
    }

    public Reply withHeaders(Map<String, String> values) {
        return new Reply(problem, body, location, revision, etag, values);
    }

    /**
     * Adds a secret to the reply of the request that created it. A replayed reply, which names another id, stays without: secrets are not
     * stored.
     */
    public Reply withSecret(String idField, UUID id, String secret) {
        if (problem != null) {
            return this;
        }
        var json = (ObjectNode) Json.parseTrusted(body);
        return json.path(idField).asText().equals(id.toString()) ? of(json.put("secret", secret)) : this;
    }
}
