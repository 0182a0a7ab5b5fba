package dev.slipway.iam.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** A runtime adapter, for one backend. */
record Adapter(
        UUID id,
        String runtimeBackend,
        String displayName,
        Instant createdAt,
        @Nullable Instant disabledAt) {

    ObjectNode json() {
        return Json.object()
                .put("id", id.toString())
                .put("runtime_backend", runtimeBackend)
                .put("display_name", displayName)
                .put("state", disabledAt == null ? "active" : "disabled")
                .put("created_at", createdAt.toString())
                .put("disabled_at", disabledAt == null ? null : disabledAt.toString());
    }
}
