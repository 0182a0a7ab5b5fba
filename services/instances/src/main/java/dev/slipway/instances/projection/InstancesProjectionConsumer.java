package dev.slipway.instances.projection;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.messaging.UnitOfWork;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Maintains the read models of IAM and catalog data from their snapshots. An older snapshot than the stored one changes nothing. */
public final class InstancesProjectionConsumer {
    private InstancesProjectionConsumer() {}

    record OrganizationSnapshot(
            UUID orgId,
            String slug,
            String displayName,
            @Nullable String plan,
            long revision) {
        String planOrNone() {
            return Objects.requireNonNullElse(plan, "");
        }
    }

    record UserSnapshot(UUID userId, String displayName, long revision) {}

    record ProjectSnapshot(
            UUID projectId,
            UUID orgId,
            String slug,
            UUID operatorServiceAccountId,
            @Nullable UUID departmentId,
            @Nullable ResourceState state,
            long revision) {
        ResourceState stateOrActive() {
            return Objects.requireNonNullElse(state, ResourceState.ACTIVE);
        }
    }

    /** A project that may not use shared runtimes, because it is suspended or deleted. */
    public record ClosedProject(UUID id, ResourceState state) {}

    record ServiceAccountSnapshot(
            UUID serviceAccountId,
            UUID orgId,
            UUID projectId,
            String slug,
            String state,
            @Nullable List<String> allowedActions,
            long revision) {
        /** Snapshots from before they named the actions are followed by new ones. */
        boolean canReport() {
            return allowedActions == null || allowedActions.contains("apps.instance.report");
        }
    }

    record AdapterSnapshot(UUID adapterId, String runtimeBackend, String displayName, String state, long revision) {}

    private record CatalogHeartbeat(String committedAt) {}

    record AppSnapshot(UUID appId, String appSlug, String status, long revision) {}

    record VersionSnapshot(
            UUID appVersionId,
            UUID appId,
            String appVersion,
            String runtimeBackend,
            String status,
            JsonNode manifest,
            @Nullable JsonNode registryVersions,
            long revision) {
        /** Returns the values of a field of the manifest's artifacts, of those that have it. */
        String[] artifactFields(String field) {
            return manifest.path("artifacts").findValuesAsText(field).toArray(String[]::new);
        }
    }

    record EntitlementSnapshot(
            UUID entitlementId,
            UUID orgId,
            UUID projectId,
            UUID appId,
            boolean enabled,
            JsonNode policyOverrides,
            long revision) {}

    record PolicySnapshot(String level, String subjectId, JsonNode values, JsonNode hardDenies, long revision) {}

    private record RevokedDigestSnapshot(String digest) {}

    /** Returns the runtime backend that this event activates, or null. */
    public static @Nullable String activatedBackend(Envelope event) {
        var backend = RegistrySnapshot.ofKind(event, RegistryKind.RUNTIME_BACKEND);
        return backend != null && backend.lifecycle() == RegistryLifecycle.ACTIVE ? backend.entryId() : null;
    }

    /** Returns the project that an event reports as suspended or deleted; null if it reports none. */
    public static @Nullable ClosedProject findClosedProject(Envelope event) {
        if (!event.eventType().equals("iam.project.snapshot")) {
            return null;
        }
        var snapshot = Json.toRecord(event.payload(), ProjectSnapshot.class);
        var state = snapshot.stateOrActive();
        return state == ResourceState.ACTIVE ? null : new ClosedProject(snapshot.projectId, state);
    }

    public static void apply(UnitOfWork unit, Envelope event) {
        var payload = event.payload();
        switch (event.eventType()) {
            case "iam.organization.snapshot" ->
                InstancesProjectionStore.upsertOrganization(unit, Json.toRecord(payload, OrganizationSnapshot.class));
            case "iam.user.snapshot" ->
                InstancesProjectionStore.upsertUser(unit, Json.toRecord(payload, UserSnapshot.class));
            case "iam.project.snapshot" ->
                InstancesProjectionStore.upsertProject(unit, Json.toRecord(payload, ProjectSnapshot.class));
            case "iam.service_account.snapshot" ->
                InstancesProjectionStore.upsertServiceAccount(
                        unit, Json.toRecord(payload, ServiceAccountSnapshot.class));
            case "iam.adapter.snapshot" ->
                InstancesProjectionStore.upsertAdapter(unit, Json.toRecord(payload, AdapterSnapshot.class));
            case "catalog.app.snapshot" ->
                InstancesProjectionStore.upsertApp(unit, Json.toRecord(payload, AppSnapshot.class));
            case "catalog.version.snapshot" ->
                InstancesProjectionStore.upsertVersion(unit, Json.toRecord(payload, VersionSnapshot.class));
            case "catalog.entitlement.snapshot" ->
                InstancesProjectionStore.upsertEntitlement(unit, Json.toRecord(payload, EntitlementSnapshot.class));
            case "catalog.policy.snapshot" ->
                InstancesProjectionStore.upsertPolicyLevel(unit, Json.toRecord(payload, PolicySnapshot.class));
            case "catalog.heartbeat" -> {
                var heartbeat = Json.toRecord(payload, CatalogHeartbeat.class);
                InstancesProjectionStore.updateCatalogFreshness(unit, OffsetDateTime.parse(heartbeat.committedAt));
            }
            case "catalog.revoked_digest.snapshot" -> {
                var digest = Json.toRecord(payload, RevokedDigestSnapshot.class).digest;
                InstancesProjectionStore.insertRevokedDigest(unit, digest);
            }
            case "catalog.registry.snapshot" -> applyRegistryEntry(unit, event);
            default -> {
                // Other events of these topics are not needed here.
            }
        }
    }

    private static void applyRegistryEntry(UnitOfWork unit, Envelope event) {
        var policyKey = RegistrySnapshot.ofKind(event, RegistryKind.POLICY);
        if (policyKey != null) {
            InstancesProjectionStore.upsertPolicyKey(unit, policyKey);
        }
        var usageUnit = RegistrySnapshot.ofKind(event, RegistryKind.USAGE_UNIT);
        if (usageUnit != null) {
            InstancesProjectionStore.upsertUsageUnit(unit, usageUnit);
        }
    }
}
