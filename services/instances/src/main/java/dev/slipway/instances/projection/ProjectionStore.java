package dev.slipway.instances.projection;

import dev.slipway.contract.Envelope;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.util.UUID;

/** Keeps this service's copies of what IAM and the catalog own. A snapshot older than what is kept changes nothing. */
public final class ProjectionStore {
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
    private static final String CATALOG_KNOWN = "UPDATE catalog_freshness SET known_until = greatest(known_until, $1)";
    private static final String USER = """
            INSERT INTO users (id, display_name, revision) VALUES ($1, $2, $3)
            ON CONFLICT (id) DO UPDATE SET display_name = $2, revision = $3 WHERE users.revision < $3
            """;
    private static final String PROJECT = """
            INSERT INTO projects (id, org_id, slug, operator_service_account_id, department_id, revision)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET slug = $3, operator_service_account_id = $4, department_id = $5, revision = $6
                WHERE projects.revision < $6
            """;
    private static final String SERVICE_ACCOUNT = """
            INSERT INTO service_accounts (id, org_id, project_id, slug, state, revision) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET slug = $4, state = $5, revision = $6 WHERE service_accounts.revision < $6
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
    /** Trust that was withdrawn does not come back. */
    private static final String REVOKED_DIGEST =
            "INSERT INTO revoked_digests (digest) VALUES ($1) ON CONFLICT DO NOTHING";

    private static final String POLICY_KEY = """
            INSERT INTO policy_keys (id, version, state, body) VALUES ($1, $2, $3, $4::text::jsonb)
            ON CONFLICT (id) DO UPDATE SET version = $2, state = $3, body = $4::text::jsonb WHERE policy_keys.version < $2
            """;

    public void apply(UnitOfWork unit, Envelope event) {
        var p = new Payload(event);
        switch (event.eventType()) {
            case "iam.organization.snapshot" ->
                unit.write(
                        ORGANIZATION,
                        Tuple.of(p.id("org_id"), p.text("slug"), p.text("display_name"), p.text("plan"), p.revision()));
            case "iam.user.snapshot" ->
                unit.write(USER, Tuple.of(p.id("user_id"), p.text("display_name"), p.revision()));
            case "iam.project.snapshot" ->
                unit.write(
                        PROJECT,
                        Tuple.of(
                                p.id("project_id"),
                                p.id("org_id"),
                                p.text("slug"),
                                p.id("operator_service_account_id"),
                                p.idOrNull("department_id"),
                                p.revision()));
            case "iam.service_account.snapshot" ->
                unit.write(
                        SERVICE_ACCOUNT,
                        Tuple.of(
                                p.id("service_account_id"),
                                p.id("org_id"),
                                p.id("project_id"),
                                p.text("slug"),
                                p.text("state"),
                                p.revision()));
            case "iam.adapter.snapshot" ->
                unit.write(
                        ADAPTER,
                        Tuple.of(
                                p.id("adapter_id"),
                                p.text("runtime_backend"),
                                p.text("display_name"),
                                p.text("state"),
                                p.revision()));
            case "catalog.heartbeat" ->
                unit.write(CATALOG_KNOWN, Tuple.of(OffsetDateTime.parse(p.text("committed_at"))));
            case "catalog.app.snapshot" ->
                unit.write(APP, Tuple.of(p.id("app_id"), p.text("app_slug"), p.text("status"), p.revision()));
            case "catalog.version.snapshot" ->
                unit.write(VERSION, Tuple.from(new @Nullable Object[] {
                    p.id("app_version_id"),
                    p.id("app_id"),
                    p.text("app_version"),
                    p.text("runtime_backend"),
                    p.text("status"),
                    p.json("manifest"),
                    p.revision(),
                    p.jsonOrNull("registry_versions"),
                    p.ofArtifacts("digest"),
                    p.ofArtifacts("reference")
                }));
            case "catalog.entitlement.snapshot" ->
                unit.write(ENTITLEMENT, Tuple.from(new Object[] {
                    p.id("entitlement_id"),
                    p.id("org_id"),
                    p.id("project_id"),
                    p.id("app_id"),
                    p.flag("enabled"),
                    p.json("policy_overrides"),
                    p.revision()
                }));
            case "catalog.policy.snapshot" ->
                unit.write(
                        POLICY_LEVEL,
                        Tuple.of(
                                p.text("level"),
                                p.text("subject_id"),
                                p.revision(),
                                p.json("values"),
                                p.json("hard_denies")));
            case "catalog.revoked_digest.snapshot" -> unit.write(REVOKED_DIGEST, Tuple.of(p.text("digest")));
            case "catalog.registry.snapshot" -> {
                if (p.text("kind").equals("policy")) {
                    unit.write(
                            POLICY_KEY,
                            Tuple.of(p.text("entry_id"), p.revision(), p.text("lifecycle"), p.json("body")));
                }
            }
            default -> {
                // Heartbeats, and what a newer owner publishes that is not needed here.
            }
        }
    }

    private record Payload(Envelope event) {
        UUID id(String field) {
            return UUID.fromString(text(field));
        }

        @Nullable
        UUID idOrNull(String field) {
            return event.payload().path(field).isTextual() ? id(field) : null;
        }

        String text(String field) {
            return event.payload().path(field).asText();
        }

        String json(String field) {
            return event.payload().path(field).toString();
        }

        /** What a version's manifest says of its artifacts; of those that say it. */
        String[] ofArtifacts(String field) {
            return event.payload()
                    .at("/manifest/artifacts")
                    .findValuesAsText(field)
                    .toArray(String[]::new);
        }

        @Nullable
        String jsonOrNull(String field) {
            return event.payload().has(field) ? json(field) : null;
        }

        boolean flag(String field) {
            return event.payload().path(field).asBoolean();
        }

        long revision() {
            return event.payload().path("revision").asLong();
        }
    }
}
