package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.history.domain.Fact;
import dev.slipway.instances.history.domain.PastState;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Events as what they say, and what they add up to as callers see it. */
public final class HistoryJson {
    /** What events call by another name than the instance does. */
    private static final Map<String, String> RENAMED = Map.of("app_instance_id", "id", "app_version", "version");

    private static final List<String> SAME = List.of(
            "resource_name",
            "org_id",
            "project_id",
            "app_slug",
            "display_name",
            "operating_mode",
            "control_plane_scope",
            "tenant_boundary_mode",
            "runtime_backend",
            "status",
            "requested_by_user_id",
            "requested_by_principal_id",
            "operator_service_account_id",
            "runtime_state",
            "failure_reason",
            "placement_intent",
            "policy_version",
            "config",
            "registry_versions",
            "generation");
    /** What is said of the instance where something else is told of. */
    private static final Map<String, String> OF_OPERATIONS = Map.of("instance_generation", "generation");

    /** What callers are not shown of an instance. */
    private static final Set<String> INTERNAL = Set.of("generation", "sequence");

    private static final Map<String, String> FIELDS = fields();

    private HistoryJson() {}

    private static Map<String, String> fields() {
        var fields = SAME.stream().collect(Collectors.toMap(name -> name, name -> name));
        fields.putAll(RENAMED);
        return Map.copyOf(fields);
    }

    public static Fact fact(String eventType, long sequence, Instant at, JsonNode payload) {
        var says = new LinkedHashMap<String, String>();
        var ofItself = eventType.startsWith("apps.instance.");
        (ofItself ? FIELDS : OF_OPERATIONS).forEach((name, field) -> {
            if (payload.has(name)) {
                says.put(field, Json.text(payload.path(name)));
            }
        });
        return new Fact(eventType, sequence, at, says);
    }

    /** The instance as it was. */
    public static ObjectNode instance(PastState state) {
        var node = Json.object();
        state.fields().forEach((field, value) -> {
            if (!INTERNAL.contains(field)) {
                node.putRawValue(field, new RawValue(value));
            }
        });
        return node;
    }

    static ObjectNode entry(TimelineEntry entry) {
        var node = Json.object();
        node.put("sequence", entry.sequence());
        node.put("event_id", entry.eventId().toString());
        node.put("event_type", entry.eventType());
        node.put("occurred_at", entry.occurredAt().toString());
        node.put("correlation_id", entry.correlationId());
        var actor = entry.actor();
        node.putRawValue("actor", new RawValue(actor == null ? "null" : actor));
        node.put("summary", summary(entry.eventType(), entry.payload()));
        node.set("payload", entry.payload());
        return node;
    }

    static String summary(String eventType, JsonNode payload) {
        var happened = eventType.substring(eventType.lastIndexOf('.') + 1).replace('_', ' ');
        if (eventType.startsWith("apps.instance_operation.")) {
            return "operation " + payload.path("operation").asText() + " " + happened + detail(payload);
        }
        if (eventType.startsWith("apps.instance_member.")) {
            return "member of " + payload.path("component").asText() + " is "
                    + payload.path("observed_state").asText() + ", and is to be "
                    + payload.path("desired_state").asText() + detail(payload);
        }
        if (eventType.equals("apps.instance.upgraded")) {
            return "upgraded from " + payload.path("from_version").asText() + " to "
                    + payload.path("app_version").asText();
        }
        return happened + detail(payload);
    }

    /** Why, or how far. */
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
