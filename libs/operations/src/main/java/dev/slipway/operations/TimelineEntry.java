package dev.slipway.operations;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A stored event, as timelines and streams show it; {@code actor} is JSON text, null without an actor. */
record TimelineEntry(
        long sequence,
        UUID eventId,
        String eventType,
        Instant occurredAt,
        String correlationId,
        @JsonRawValue @Nullable String actor,
        String summary,
        JsonNode payload) {

    static String summarize(String eventType, JsonNode payload) {
        var event = eventType.substring(eventType.lastIndexOf('.') + 1).replace('_', ' ');
        if (eventType.startsWith("apps.instance_operation.")
                || eventType.startsWith("apps.shared_runtime.operation.")) {
            return "operation " + payload.path("operation").asText() + " " + event + detail(payload);
        }
        if (eventType.startsWith("apps.shared_runtime.attachment.")) {
            return "attachment of project " + payload.path("project_id").asText() + " " + event + detail(payload);
        }
        var worker = eventType.startsWith("apps.shared_runtime.worker.");
        if (worker || eventType.startsWith("apps.instance_member.")) {
            return (worker ? "worker of " : "member of ")
                    + payload.path("component").asText() + " is "
                    + payload.path("observed_state").asText() + ", and is to be "
                    + payload.path("desired_state").asText() + detail(payload);
        }
        if (eventType.endsWith(".upgraded")) {
            return "upgraded from " + payload.path("from_version").asText() + " to "
                    + payload.path("app_version").asText();
        }
        return event + detail(payload);
    }

    private static String detail(JsonNode payload) {
        var parts = new StringBuilder();
        if (payload.path("percent").isInt()) {
            parts.append(": ").append(payload.path("percent").asInt()).append(" %");
        }
        for (var name : List.of("message", "reason", "failure_reason")) {
            if (payload.path(name).isTextual()) {
                parts.append(": ").append(payload.path(name).asText());
            }
        }
        return parts.toString();
    }
}
