package dev.slipway.catalog.entitlement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * What a project may do with an app.
 *
 * @param version raised by every change; 0 while it is written for the first time
 */
record Entitlement(
        UUID id,
        UUID orgId,
        UUID projectId,
        UUID appId,
        String appSlug,
        boolean enabled,
        ObjectNode policyOverrides,
        @Nullable UUID updatedByUserId,
        long version,
        Instant createdAt,
        Instant updatedAt) {

    Entitlement changed(boolean on, ObjectNode overrides, UUID by, Instant now) {
        return new Entitlement(id, orgId, projectId, appId, appSlug, on, overrides, by, version + 1, createdAt, now);
    }

    ObjectNode json() {
        var node = Json.object()
                .put("id", id.toString())
                .put("org_id", orgId.toString())
                .put("project_id", projectId.toString())
                .put("app_slug", appSlug)
                .put("enabled", enabled);
        node.set("policy_overrides", policyOverrides);
        return node.put("updated_by_user_id", updatedByUserId == null ? null : updatedByUserId.toString())
                .put("version", version)
                .put("created_at", createdAt.toString())
                .put("updated_at", updatedAt.toString());
    }
}
