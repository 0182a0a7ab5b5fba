package dev.slipway.instances.projection;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Maintains the read models of IAM and catalog data from their snapshots. An older snapshot than the stored one changes nothing. */
public final class InstancesProjectionStore {
    private static final String ORGANIZATION = """
            INSERT INTO organizations (id, slug, display_name, plan, revision) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (id) DO UPDATE SET slug = $2, display_name = $3, plan = $4, revision = $5
                WHERE organizations.revision < $5
            """;
    private static final String ADAPTER = """
            INSERT INTO adapters (id, runtime_backend, display_name, state, revision) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (id) DO UPDATE SET runtime_backend = $2, display_name = $3, state = $4, revision = $5
                WHERE adapters.revision < $5
            """;
    private static final String CATALOG_FRESHNESS =
            "UPDATE catalog_freshness SET known_until = greatest(known_until, $1)";
    private static final String USER = """
            INSERT INTO users (id, display_name, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET display_name = $2, revision = $3 WHERE users.revision < $3
            """;
    private static final String PROJECT = """
            INSERT INTO projects (id, org_id, slug, operator_service_account_id, department_id, revision, state)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (id) DO UPDATE SET slug = $3, operator_service_account_id = $4, department_id = $5, revision = $6, state = $7
                WHERE projects.revision < $6
            """;
    private static final String SERVICE_ACCOUNT = """
            INSERT INTO service_accounts (id, org_id, project_id, slug, state, revision, can_report)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (id) DO UPDATE SET slug = $4, state = $5, revision = $6, can_report = $7 WHERE service_accounts.revision < $6
            """;
    private static final String APP = """
            INSERT INTO app_catalog (id, slug, status, revision) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET status = $3, revision = $4 WHERE app_catalog.revision < $4
            """;
    private static final String VERSION = """
            INSERT INTO app_versions (id, app_id, version, runtime_backend, status, manifest, revision, registry_versions,
                artifact_digests, artifact_sources)
            VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8::text::jsonb, $9, $10)
            ON CONFLICT (id) DO UPDATE SET status = $5, manifest = $6::text::jsonb, revision = $7, registry_versions = $8::text::jsonb,
                artifact_digests = $9, artifact_sources = $10
                WHERE app_versions.revision < $7
            """;
    private static final String ENTITLEMENT = """
            INSERT INTO project_app_entitlements (id, org_id, project_id, app_id, enabled, policy_overrides, revision)
            VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7)
            ON CONFLICT (id) DO UPDATE SET enabled = $5, policy_overrides = $6::text::jsonb, revision = $7
                WHERE project_app_entitlements.revision < $7
            """;
    private static final String POLICY_LEVEL = """
            INSERT INTO policy_levels (level, subject_id, version, said, hard_denies)
            VALUES ($1, $2, $3, $4::text::jsonb, $5::text::jsonb)
            ON CONFLICT (level, subject_id) DO UPDATE SET version = $3, said = $4::text::jsonb, hard_denies = $5::text::jsonb
                WHERE policy_levels.version < $3
            """;
    /** A revocation is final. */
    private static final String REVOKED_DIGEST =
            "INSERT INTO revoked_digests (digest) VALUES ($1) ON CONFLICT DO NOTHING";

    private static final String POLICY_KEY = """
            INSERT INTO policy_keys (id, version, state, body) VALUES ($1, $2, $3, $4::text::jsonb)
            ON CONFLICT (id) DO UPDATE SET version = $2, state = $3, body = $4::text::jsonb WHERE policy_keys.version < $2
            """;

    private static final String USAGE_UNIT = """
            INSERT INTO usage_units (id, precision, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET precision = $2, revision = $3 WHERE usage_units.revision < $3
            """;

    private record OrganizationSnapshot(
            UUID orgId,
            String slug,
            String displayName,
            @Nullable String plan,
            long revision) {}

    private record UserSnapshot(UUID userId, String displayName, long revision) {}

    private record ProjectSnapshot(
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

    private record ServiceAccountSnapshot(
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

    private record AdapterSnapshot(
            UUID adapterId, String runtimeBackend, String displayName, String state, long revision) {}

    private record CatalogHeartbeat(String committedAt) {}

    private record AppSnapshot(UUID appId, String appSlug, String status, long revision) {}

    private record VersionSnapshot(
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

    private record EntitlementSnapshot(
            UUID entitlementId,
            UUID orgId,
            UUID projectId,
            UUID appId,
            boolean enabled,
            JsonNode policyOverrides,
            long revision) {}

    private record PolicySnapshot(
            String level, String subjectId, JsonNode values, JsonNode hardDenies, long revision) {}

    private record RevokedDigestSnapshot(String digest) {}

    /** Returns the runtime backend that this event activates, or null. */
    public @Nullable String activatedBackend(Envelope event) {
        var backend = RegistrySnapshot.ofKind(event, RegistryKind.RUNTIME_BACKEND);
        return backend != null && backend.lifecycle() == RegistryLifecycle.ACTIVE ? backend.entryId() : null;
    }

    /** Returns the project that an event reports as suspended or deleted; null if it reports none. */
    public @Nullable ClosedProject findClosedProject(Envelope event) {
        if (!event.eventType().equals("iam.project.snapshot")) {
            return null;
        }
        var snapshot = Json.toRecord(event.payload(), ProjectSnapshot.class);
        var state = snapshot.stateOrActive();
        return state == ResourceState.ACTIVE ? null : new ClosedProject(snapshot.projectId, state);
    }

    public void apply(UnitOfWork unit, Envelope event) {
        var payload = event.payload();
        switch (event.eventType()) {
            case "iam.organization.snapshot" -> {
                var s = Json.toRecord(payload, OrganizationSnapshot.class);
                var plan = Objects.requireNonNullElse(s.plan, "");
                unit.write(ORGANIZATION, Tuple.of(s.orgId, s.slug, s.displayName, plan, s.revision));
            }
            case "iam.user.snapshot" -> {
                var s = Json.toRecord(payload, UserSnapshot.class);
                unit.write(USER, Tuple.of(s.userId, s.displayName, s.revision));
            }
            case "iam.project.snapshot" -> {
                var s = Json.toRecord(payload, ProjectSnapshot.class);
                unit.write(PROJECT, Tuple.from(new @Nullable Object[] {
                    s.projectId,
                    s.orgId,
                    s.slug,
                    s.operatorServiceAccountId,
                    s.departmentId,
                    s.revision,
                    s.stateOrActive().text()
                }));
            }
            case "iam.service_account.snapshot" -> {
                var s = Json.toRecord(payload, ServiceAccountSnapshot.class);
                unit.write(
                        SERVICE_ACCOUNT,
                        Tuple.of(s.serviceAccountId, s.orgId, s.projectId, s.slug, s.state, s.revision, s.canReport()));
            }
            case "iam.adapter.snapshot" -> {
                var s = Json.toRecord(payload, AdapterSnapshot.class);
                unit.write(ADAPTER, Tuple.of(s.adapterId, s.runtimeBackend, s.displayName, s.state, s.revision));
            }
            case "catalog.heartbeat" -> {
                var heartbeat = Json.toRecord(payload, CatalogHeartbeat.class);
                unit.write(CATALOG_FRESHNESS, Tuple.of(OffsetDateTime.parse(heartbeat.committedAt)));
            }
            case "catalog.app.snapshot" -> {
                var s = Json.toRecord(payload, AppSnapshot.class);
                unit.write(APP, Tuple.of(s.appId, s.appSlug, s.status, s.revision));
            }
            case "catalog.version.snapshot" -> applyVersion(unit, Json.toRecord(payload, VersionSnapshot.class));
            case "catalog.entitlement.snapshot" -> {
                var s = Json.toRecord(payload, EntitlementSnapshot.class);
                unit.write(ENTITLEMENT, Tuple.from(new Object[] {
                    s.entitlementId, s.orgId, s.projectId, s.appId, s.enabled, s.policyOverrides.toString(), s.revision
                }));
            }
            case "catalog.policy.snapshot" -> {
                var s = Json.toRecord(payload, PolicySnapshot.class);
                unit.write(
                        POLICY_LEVEL,
                        Tuple.of(s.level, s.subjectId, s.revision, s.values.toString(), s.hardDenies.toString()));
            }
            case "catalog.revoked_digest.snapshot" ->
                unit.write(REVOKED_DIGEST, Tuple.of(Json.toRecord(payload, RevokedDigestSnapshot.class).digest));
            case "catalog.registry.snapshot" -> applyRegistryEntry(unit, event);
            default -> {
                // Other events of these topics are not needed here.
            }
        }
    }

    private static void applyVersion(UnitOfWork unit, VersionSnapshot s) {
        unit.write(VERSION, Tuple.from(new @Nullable Object[] {
            s.appVersionId,
            s.appId,
            s.appVersion,
            s.runtimeBackend,
            s.status,
            s.manifest.toString(),
            s.revision,
            s.registryVersions == null ? null : s.registryVersions.toString(),
            s.artifactFields("digest"),
            s.artifactFields("reference")
        }));
    }

    private static void applyRegistryEntry(UnitOfWork unit, Envelope event) {
        var key = RegistrySnapshot.ofKind(event, RegistryKind.POLICY);
        if (key != null) {
            unit.write(
                    POLICY_KEY,
                    Tuple.of(
                            key.entryId(),
                            key.revision(),
                            key.lifecycle().text(),
                            key.body().toString()));
        }
        var usageUnit = RegistrySnapshot.ofKind(event, RegistryKind.USAGE_UNIT);
        if (usageUnit != null) {
            unit.write(
                    USAGE_UNIT,
                    Tuple.of(
                            usageUnit.entryId(),
                            usageUnit.body().path("precision").asInt(),
                            usageUnit.revision()));
        }
    }
}
