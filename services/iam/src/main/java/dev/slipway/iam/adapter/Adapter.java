package dev.slipway.iam.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A runtime adapter, for one backend. */
public record Adapter(
        UUID id,
        String runtimeBackend,
        String displayName,
        @Nullable UUID createdByUserId,
        Instant createdAt,
        @Nullable Instant disabledAt) {
    /** All that an adapter does in its own name; what it does for instances, it does as their operators. */
    public static final List<String> ACTIONS = List.of("runtime.adapter.report", "runtime.desired_state.read");

    /** As decisions see it: a machine of the platform's, in no tenant. */
    ObjectNode principal() {
        var node = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "adapter")
                .put("display_name", displayName)
                .put("issuer", (String) null)
                .put("subject", (String) null)
                .put("org_id", (String) null)
                .put("project_id", (String) null)
                .put("responsible_user_id", (createdByUserId == null ? id : createdByUserId).toString());
        ACTIONS.forEach(node.putArray("allowed_actions")::add);
        return node.put("active", disabledAt == null);
    }

    /** As services that have runtimes see it. */
    ObjectNode snapshot() {
        return Json.object()
                .put("adapter_id", id.toString())
                .put("runtime_backend", runtimeBackend)
                .put("display_name", displayName)
                .put("state", state());
    }

    ObjectNode json() {
        return Json.object()
                .put("id", id.toString())
                .put("runtime_backend", runtimeBackend)
                .put("display_name", displayName)
                .put("state", state())
                .put("created_at", createdAt.toString())
                .put("disabled_at", disabledAt == null ? null : disabledAt.toString());
    }

    private String state() {
        return disabledAt == null ? "active" : "disabled";
    }
}
