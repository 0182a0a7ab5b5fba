package dev.slipway.instances.projection;

import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.AdapterSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.AppSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.EntitlementSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.OrganizationSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.PolicySnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.ProjectSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.ServiceAccountSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.UserSnapshot;
import dev.slipway.instances.projection.InstancesProjectionConsumer.VersionSnapshot;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;

/** The SQL of the read models of IAM and catalog data. An older snapshot than the stored one changes nothing. */
final class InstancesProjectionStore {
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

    private InstancesProjectionStore() {}

    static void upsertOrganization(UnitOfWork unit, OrganizationSnapshot s) {
        unit.write(ORGANIZATION, Tuple.of(s.orgId(), s.slug(), s.displayName(), s.planOrNone(), s.revision()));
    }

    static void upsertUser(UnitOfWork unit, UserSnapshot s) {
        unit.write(USER, Tuple.of(s.userId(), s.displayName(), s.revision()));
    }

    static void upsertProject(UnitOfWork unit, ProjectSnapshot s) {
        unit.write(PROJECT, Tuple.from(new @Nullable Object[] {
            s.projectId(),
            s.orgId(),
            s.slug(),
            s.operatorServiceAccountId(),
            s.departmentId(),
            s.revision(),
            s.stateOrActive().text()
        }));
    }

    static void upsertServiceAccount(UnitOfWork unit, ServiceAccountSnapshot s) {
        unit.write(
                SERVICE_ACCOUNT,
                Tuple.of(
                        s.serviceAccountId(),
                        s.orgId(),
                        s.projectId(),
                        s.slug(),
                        s.state(),
                        s.revision(),
                        s.canReport()));
    }

    static void upsertAdapter(UnitOfWork unit, AdapterSnapshot s) {
        unit.write(ADAPTER, Tuple.of(s.adapterId(), s.runtimeBackend(), s.displayName(), s.state(), s.revision()));
    }

    static void updateCatalogFreshness(UnitOfWork unit, OffsetDateTime knownUntil) {
        unit.write(CATALOG_FRESHNESS, Tuple.of(knownUntil));
    }

    static void upsertApp(UnitOfWork unit, AppSnapshot s) {
        unit.write(APP, Tuple.of(s.appId(), s.appSlug(), s.status(), s.revision()));
    }

    static void upsertVersion(UnitOfWork unit, VersionSnapshot s) {
        var registryVersions = s.registryVersions();
        unit.write(VERSION, Tuple.from(new @Nullable Object[] {
            s.appVersionId(),
            s.appId(),
            s.appVersion(),
            s.runtimeBackend(),
            s.status(),
            s.manifest().toString(),
            s.revision(),
            registryVersions == null ? null : registryVersions.toString(),
            s.artifactFields("digest"),
            s.artifactFields("reference")
        }));
    }

    static void upsertEntitlement(UnitOfWork unit, EntitlementSnapshot s) {
        unit.write(ENTITLEMENT, Tuple.from(new Object[] {
            s.entitlementId(),
            s.orgId(),
            s.projectId(),
            s.appId(),
            s.enabled(),
            s.policyOverrides().toString(),
            s.revision()
        }));
    }

    static void upsertPolicyLevel(UnitOfWork unit, PolicySnapshot s) {
        unit.write(
                POLICY_LEVEL,
                Tuple.of(
                        s.level(),
                        s.subjectId(),
                        s.revision(),
                        s.values().toString(),
                        s.hardDenies().toString()));
    }

    static void insertRevokedDigest(UnitOfWork unit, String digest) {
        unit.write(REVOKED_DIGEST, Tuple.of(digest));
    }

    static void upsertPolicyKey(UnitOfWork unit, RegistrySnapshot s) {
        unit.write(
                POLICY_KEY,
                Tuple.of(
                        s.entryId(),
                        s.revision(),
                        s.lifecycle().text(),
                        s.body().toString()));
    }

    static void upsertUsageUnit(UnitOfWork unit, RegistrySnapshot s) {
        unit.write(USAGE_UNIT, Tuple.of(s.entryId(), s.body().path("precision").asInt(), s.revision()));
    }
}
