package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.Map;

/** A validated request that the gateway sends to a service. Its event bus address is the operation id. */
public record Call(
        String operationId,
        String correlationId,
        @Nullable String token,
        Map<String, String> path,
        Map<String, String> query,
        Map<String, String> headers,
        @Nullable JsonNode body) {
    /** Header that the gateway adds: the address of the client's connection. Clients cannot send it: it is not in the contract. */
    public static final String SOURCE_ADDRESS = "source-address";

    /** Header that the gateway adds: the client's User-Agent. */
    public static final String USER_AGENT = "user-agent";

    /** Query parameter that the gateway adds to continue a stream after this position. */
    public static final String STREAM_POSITION = "after";

    /** Query parameter with the time the service may wait for the next event of a stream. */
    public static final String STREAM_WAIT_MS = "wait_ms";

    /** Returns a copy for another operation. */
    public Call withOperation(String otherOperationId) {
        return new Call(otherOperationId, correlationId, token, path, query, headers, body);
    }

    /** Returns the break-glass reason, or null: only admin variants accept the header. */
    public @Nullable String breakGlassReason() {
        return headers.get("x-break-glass-reason");
    }

    /** Returns where the call comes from, in the format of audit records; null if it did not come through a gateway. */
    public @Nullable ObjectNode source() {
        var address = headers.get(SOURCE_ADDRESS);
        return address == null
                ? null
                : Json.object().put("source_address", address).put("user_agent", headers.get(USER_AGENT));
    }

    /** Returns whether the call continues a stream. Clients cannot send this parameter: it is not in the contract. */
    public boolean isStreamContinuation() {
        return query.containsKey(STREAM_POSITION);
    }

    @Override
    public String toString() {
        return "Call[" + operationId + ", " + correlationId + "]"; // the token stays out of logs
    }
}
