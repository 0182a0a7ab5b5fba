package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;

/** The value of every Kafka record. {@code version} is the major version of the payload. */
public record Envelope(
        UUID eventId, String eventType, Instant occurredAt, int version, String correlationId, ObjectNode payload) {

    public byte[] toBytes() {
        var node = Json.object();
        node.put("event_id", eventId.toString());
        node.put("event_type", eventType);
        node.put("occurred_at", occurredAt.toString());
        node.put("version", version);
        node.put("correlation_id", correlationId);
        node.set("payload", payload);
        return Json.bytes(node);
    }

    /** Parses a record value. Throws {@link MalformedEnvelopeException} if it is not an envelope. */
    public static Envelope fromBytes(byte[] bytes) {
        try {
            var node = Json.parseInternal(bytes);
            if (!(node.path("payload") instanceof ObjectNode payload)) {
                throw new MalformedEnvelopeException("payload is not an object");
            }
            return new Envelope(
                    UUID.fromString(text(node, "event_id")),
                    text(node, "event_type"),
                    Instant.parse(text(node, "occurred_at")),
                    version(node.path("version")),
                    text(node, "correlation_id"),
                    payload);
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw new MalformedEnvelopeException(String.valueOf(e.getMessage()));
        }
    }

    private static int version(JsonNode value) {
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 1) {
            throw new MalformedEnvelopeException("version is not a positive integer");
        }
        return value.intValue();
    }

    private static String text(JsonNode node, String field) {
        var value = node.path(field);
        if (!value.isTextual()) {
            throw new MalformedEnvelopeException(field + " is missing");
        }
        return value.textValue();
    }

    /** Thrown for a record value that is not an envelope; retrying cannot help. */
    public static final class MalformedEnvelopeException extends RuntimeException {
        MalformedEnvelopeException(String message) {
            super("not an envelope: " + message);
        }
    }
}
