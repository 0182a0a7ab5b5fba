package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.PastEvent;
import dev.slipway.instances.appinstance.domain.PastState;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Maps stored events to the fields of an instance that they change, and a past state to a response. */
final class HistoryJson {
    private static final Map<String, String> RENAMED_FIELDS = Map.of("app_instance_id", "id", "app_version", "version");
    private static final List<String> SAME_FIELDS = List.of(
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
    private static final Map<String, String> INSTANCE_EVENT_FIELDS = instanceEventFields();
    private static final Map<String, String> OTHER_EVENT_FIELDS = Map.of("instance_generation", "generation");
    /** Fields that responses leave out. */
    private static final Set<String> INTERNAL_FIELDS = Set.of("generation", "sequence");

    private HistoryJson() {}

    private static Map<String, String> instanceEventFields() {
        var fields = SAME_FIELDS.stream().collect(Collectors.toMap(name -> name, name -> name));
        fields.putAll(RENAMED_FIELDS);
        return Map.copyOf(fields);
    }

    static PastEvent pastEvent(String eventType, long sequence, Instant at, JsonNode payload) {
        var fields = new LinkedHashMap<String, String>();
        (PastEvent.isInstanceEvent(eventType) ? INSTANCE_EVENT_FIELDS : OTHER_EVENT_FIELDS).forEach((name, field) -> {
            if (payload.has(name)) {
                fields.put(field, Json.text(payload.path(name)));
            }
        });
        return new PastEvent(eventType, sequence, at, fields);
    }

    static ObjectNode instance(PastState state) {
        var node = Json.object();
        state.fields().forEach((field, value) -> {
            if (!INTERNAL_FIELDS.contains(field)) {
                node.putRawValue(field, new RawValue(value));
            }
        });
        return node;
    }
}
