package dev.slipway.catalog.policy.entitlement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A project's entitlement to an app.
 *
 * @param version incremented by every change; 0 for a placeholder that is being written for the first time
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

    Entitlement withChanges(boolean nextEnabled, ObjectNode overrides, UUID userId, Instant now) {
        return new Entitlement(
                id, orgId, projectId, appId, appSlug, nextEnabled, overrides, userId, version + 1, createdAt, now);
    }
}
