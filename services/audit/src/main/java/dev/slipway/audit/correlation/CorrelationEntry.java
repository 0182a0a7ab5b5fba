package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.telemetry.Traces;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** An access-log record, an audit record or an event, also of usage or evidence, that carries a correlation id. */
record CorrelationEntry(
        Kind kind,
        UUID eventId,
        String title,
        Instant at,
        String correlationId,
        @Nullable String traceId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        ObjectNode payload) {
    /** The kinds of entries. Calls and audit records have tables of their own; the others are events. */
    enum Kind implements TextEnum {
        CALL,
        AUDIT,
        EVENT,
        USAGE,
        EVIDENCE;

        /** Returns the kind of an event by its type. */
        static Kind ofEvent(String eventType) {
            if (eventType.equals("audit.recorded")) {
                return AUDIT;
            }
            if (eventType.startsWith("evidence.")) {
                return EVIDENCE;
            }
            return eventType.startsWith("usage.") || eventType.contains("_usage.") ? USAGE : EVENT;
        }
    }

    static CorrelationEntry of(Map<String, String> headers, Envelope event) {
        var payload = event.payload();
        var kind = Kind.ofEvent(event.eventType());
        return new CorrelationEntry(
                kind,
                event.eventId(),
                kind == Kind.AUDIT ? payload.path("action").asText() : event.eventType(),
                event.occurredAt(),
                event.correlationId(),
                Traces.parseTraceId(headers.get("traceparent")),
                parseId(payload.path("org_id")),
                parseId(payload.path("project_id")),
                payload);
    }

    /** Returns the kind-specific part of the response. */
    ObjectNode detail() {
        return switch (kind) {
            case CALL -> payload;
            case AUDIT -> selectFields("actor", "action", "target_type", "target_id", "result", "reason", "metadata");
            case EVENT, USAGE, EVIDENCE ->
                Json.object().put("event_id", eventId.toString()).set("payload", payload);
        };
    }

    private ObjectNode selectFields(String... fields) {
        var detail = Json.object();
        for (var field : fields) {
            detail.set(field, payload.get(field));
        }
        return detail;
    }

    static @Nullable UUID parseId(JsonNode value) {
        return value.isTextual() ? UUID.fromString(value.textValue()) : null;
    }
}
