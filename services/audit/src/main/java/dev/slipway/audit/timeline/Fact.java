package dev.slipway.audit.timeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/** One thing that happened, as a timeline shows it. */
record Fact(
        Kind kind,
        UUID eventId,
        String title,
        Instant at,
        String correlationId,
        @Nullable String traceId,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        ObjectNode payload) {
    private static final Pattern TRACEPARENT =
            Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}");

    /** The kinds of facts; each has its own table. */
    enum Kind {
        CALL,
        AUDIT,
        EVENT;

        static Kind of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Fact of(Map<String, String> headers, Envelope event) {
        var payload = event.payload();
        var kind = event.eventType().equals("audit.recorded") ? Kind.AUDIT : Kind.EVENT;
        return new Fact(
                kind,
                event.eventId(),
                kind == Kind.AUDIT ? payload.path("action").asText() : event.eventType(),
                event.occurredAt(),
                event.correlationId(),
                traceId(headers.get("traceparent")),
                id(payload.path("org_id")),
                id(payload.path("project_id")),
                payload);
    }

    /** What the timeline shows of a fact beside its title, time and scope. */
    ObjectNode detail() {
        return switch (kind) {
            case CALL -> payload;
            case AUDIT -> only("actor", "action", "target_type", "target_id", "result", "reason", "metadata");
            case EVENT -> Json.object().put("event_id", eventId.toString()).set("payload", payload);
        };
    }

    private ObjectNode only(String... fields) {
        var detail = Json.object();
        for (var field : fields) {
            detail.set(field, payload.get(field));
        }
        return detail;
    }

    static @Nullable String traceId(@Nullable String traceparent) {
        if (traceparent == null) {
            return null;
        }
        var match = TRACEPARENT.matcher(traceparent);
        return match.matches() ? match.group(1) : null;
    }

    static @Nullable UUID id(JsonNode value) {
        return value.isTextual() ? UUID.fromString(value.textValue()) : null;
    }
}
