package dev.slipway.catalog.policy.entitlement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** JSON records of entitlements: requests, responses, events and snapshots. */
final class EntitlementJson {
    private EntitlementJson() {}

    record PutRequest(@Nullable Boolean enabled, @Nullable ObjectNode policyOverrides) {}

    record EntitlementResponse(
            UUID id,
            UUID orgId,
            UUID projectId,
            String appSlug,
            boolean enabled,
            ObjectNode policyOverrides,
            @Nullable UUID updatedByUserId,
            long version,
            Instant createdAt,
            Instant updatedAt) {
        static EntitlementResponse of(Entitlement entitlement) {
            return new EntitlementResponse(
                    entitlement.id(),
                    entitlement.orgId(),
                    entitlement.projectId(),
                    entitlement.appSlug(),
                    entitlement.enabled(),
                    entitlement.policyOverrides(),
                    entitlement.updatedByUserId(),
                    entitlement.version(),
                    entitlement.createdAt(),
                    entitlement.updatedAt());
        }
    }

    record AuditMetadata(@Nullable EntitlementResponse before, EntitlementResponse after) {}

    record DisabledFeature(String key) {}

    record UpdatedEvent(UUID orgId, UUID projectId, String appSlug, boolean enabled, ObjectNode policyOverrides) {
        static UpdatedEvent of(Entitlement entitlement) {
            return new UpdatedEvent(
                    entitlement.orgId(),
                    entitlement.projectId(),
                    entitlement.appSlug(),
                    entitlement.enabled(),
                    entitlement.policyOverrides());
        }
    }

    record Snapshot(
            UUID entitlementId,
            UUID orgId,
            UUID projectId,
            UUID appId,
            boolean enabled,
            long revision,
            ObjectNode policyOverrides) {
        static Snapshot of(Entitlement entitlement) {
            return new Snapshot(
                    entitlement.id(),
                    entitlement.orgId(),
                    entitlement.projectId(),
                    entitlement.appId(),
                    entitlement.enabled(),
                    entitlement.version(),
                    entitlement.policyOverrides());
        }
    }
}
