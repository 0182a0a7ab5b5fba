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

    @Override
    public String toString() {
        return "Call[" + operationId + ", " + correlationId + "]"; // the token stays out of logs
    }
}
