package dev.slipway.service;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.Map;

/** A validated request on its way from the gateway to the service; its address on the bus is the operation's id. */
public record Call(
        String operationId,
        String correlationId,
        @Nullable String token,
        Map<String, String> path,
        Map<String, String> query,
        Map<String, String> headers,
        @Nullable JsonNode body) {
    /** Where a stream is: what the gateway adds to the query to be told what follows. */
    public static final String STREAM_POSITION = "after";

    /** How long the service may wait for something to follow. */
    public static final String STREAM_WAIT_MS = "wait_ms";

    /** The same, of another operation. */
    public Call to(String otherOperationId) {
        return new Call(otherOperationId, correlationId, token, path, query, headers, body);
    }

    /** Why a tenant is reached into, when the call came through an admin twin; only those take the header. */
    public @Nullable String breakGlassReason() {
        return headers.get("x-break-glass-reason");
    }

    /** Whether it asks for what follows an earlier answer of the same stream: the contract has no such parameter, only the gateway. */
    public boolean continuesStream() {
        return query.containsKey(STREAM_POSITION);
    }

    @Override
    public String toString() {
        return "Call[" + operationId + ", " + correlationId + "]"; // the token stays out of logs
    }
}
