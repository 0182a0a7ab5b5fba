package dev.slipway.catalog.policy;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads the entitlements and instances that a policy change affects. */
public final class PreviewStore {
    /** The maximum number of instances per page; further ones are ignored. */
    private static final int MAX_INSTANCES = 20_000;

    private static final String LIST_ENTITLEMENTS = """
            SELECT e.id, e.org_id, e.project_id, p.department_id, o.plan, a.slug, e.policy_overrides::text AS overrides, e.revision,
                e.enabled, e.created_at
            FROM project_app_entitlements e JOIN app_catalog a ON a.id = e.app_id
            JOIN projects p ON p.id = e.project_id AND p.org_id = e.org_id
            LEFT JOIN organizations o ON o.id = e.org_id
            WHERE ($1::text IS NULL OR o.plan = $1) AND ($2::uuid IS NULL OR e.org_id = $2)
            AND ($3::uuid IS NULL OR p.department_id = $3) AND ($4::uuid IS NULL OR e.project_id = $4)
            AND ($5::timestamptz IS NULL OR (e.created_at, e.id) < ($5, $6::uuid))
            ORDER BY e.created_at DESC, e.id DESC LIMIT $7
            """;
    private static final String LOAD_DOCUMENTS = """
            SELECT l.level, l.subject_id, l.version, l.said::text AS said, l.hard_denies::text AS hard_denies
            FROM unnest($1::text[], $2::text[]) AS place (level, subject_id)
            JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id AND l.version > 0
            """;
    /** Reads the manifest of each version once, regardless of its number of instances. */
    private static final String LIST_INSTANCES = """
            WITH touched AS MATERIALIZED (
                SELECT i.* FROM unnest($1::uuid[], $2::text[]) AS pair (project_id, app_slug)
                JOIN launched_instances i ON i.project_id = pair.project_id AND i.app_slug = pair.app_slug AND i.status <> 'deleted'
                ORDER BY i.id DESC LIMIT $3),
            versions AS MATERIALIZED (
                SELECT a.slug, v.version, ARRAY(SELECT jsonb_path_query(v.manifest, '$.artifacts[*].reference') #>> '{}') AS artifact_sources
                FROM (SELECT DISTINCT app_slug, app_version FROM touched) used
                JOIN app_catalog a ON a.slug = used.app_slug
                JOIN app_versions v ON v.app_id = a.id AND v.version = used.app_version)
            SELECT i.id, i.project_id, i.app_slug, i.status, i.operating_mode, i.control_plane_scope, i.region, i.sku, i.gpu_count,
                v.artifact_sources
            FROM touched i JOIN versions v ON v.slug = i.app_slug AND v.version = i.app_version
            ORDER BY i.id DESC
            """;

    /** An entitlement, with what determines the policy levels that apply to it. */
    record AffectedEntitlement(
            UUID id,
            UUID orgId,
            UUID projectId,
            @Nullable UUID departmentId,
            @Nullable String plan,
            String appSlug,
            String overrides,
            long revision,
            boolean enabled,
            Instant createdAt) {

        /** Returns the keys of the documents that apply. */
        List<LevelKey> levelKeys() {
            var keys = new ArrayList<LevelKey>();
            keys.add(new LevelKey(PolicyLevel.GLOBAL, PolicyDocument.PLATFORM));
            if (plan != null) {
                keys.add(new LevelKey(PolicyLevel.PLAN, plan));
            }
            keys.add(new LevelKey(PolicyLevel.ORGANIZATION, orgId.toString()));
            if (departmentId != null) {
                keys.add(new LevelKey(PolicyLevel.DEPARTMENT, departmentId.toString()));
            }
            keys.add(new LevelKey(PolicyLevel.PROJECT, projectId.toString()));
            return keys;
        }

        PolicyDocument overridesDocument(PolicyKeys keys) {
            return PolicyDocument.fromStored(
                    keys,
                    PolicyLevel.ENTITLEMENT,
                    id.toString(),
                    revision,
                    Json.parseStoredObject(overrides),
                    Json.object());
        }

        ProjectApp projectApp() {
            return new ProjectApp(projectId, appSlug);
        }
    }

    /** Identifies a policy document. */
    record LevelKey(PolicyLevel level, String subjectId) {}

    record ProjectApp(UUID projectId, String appSlug) {}

    /** An instance, with the parameters that policy checks. */
    record AffectedInstance(UUID id, String status, LaunchRequest request) {}

    private final SqlClient reads;

    public PreviewStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<AffectedEntitlement>> listEntitlements(PolicySubject subject, @Nullable Cursor after, int limit) {
        var row = Tuple.from(new Object[] {
            subject.plan(),
            subject.orgId(),
            subject.departmentId(),
            subject.projectId(),
            after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
            after == null ? null : after.id(),
            limit + 1
        });
        return reads.preparedQuery(LIST_ENTITLEMENTS).execute(row).map(rows -> {
            var found = new ArrayList<AffectedEntitlement>();
            rows.forEach(each -> found.add(toEntitlement(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Map<LevelKey, PolicyDocument>> loadDocuments(PolicyKeys keys, List<AffectedEntitlement> entitlements) {
        var keysToLoad = new LinkedHashSet<LevelKey>();
        entitlements.forEach(each -> keysToLoad.addAll(each.levelKeys()));
        var row = Tuple.tuple()
                .addArrayOfString(
                        keysToLoad.stream().map(key -> key.level.text()).toArray(String[]::new))
                .addArrayOfString(keysToLoad.stream().map(LevelKey::subjectId).toArray(String[]::new));
        return reads.preparedQuery(LOAD_DOCUMENTS).execute(row).map(rows -> {
            var documents = new HashMap<LevelKey, PolicyDocument>();
            rows.forEach(each -> {
                var document = EffectivePolicyStore.toDocument(
                        keys, TextEnum.parse(PolicyLevel.class, each.getString("level")), each);
                documents.put(new LevelKey(document.level(), document.subject()), document);
            });
            return documents;
        });
    }

    Future<Map<ProjectApp, List<AffectedInstance>>> listInstances(List<AffectedEntitlement> entitlements) {
        var row = Tuple.tuple()
                .addArrayOfUUID(entitlements.stream()
                        .map(AffectedEntitlement::projectId)
                        .toArray(UUID[]::new))
                .addArrayOfString(
                        entitlements.stream().map(AffectedEntitlement::appSlug).toArray(String[]::new))
                .addInteger(MAX_INSTANCES);
        return reads.preparedQuery(LIST_INSTANCES).execute(row).map(rows -> {
            var byApp = new HashMap<ProjectApp, List<AffectedInstance>>();
            for (var each : rows) {
                var projectApp = new ProjectApp(each.getUUID("project_id"), each.getString("app_slug"));
                byApp.computeIfAbsent(projectApp, ignored -> new ArrayList<>()).add(toInstance(each));
            }
            return byApp;
        });
    }

    private static AffectedInstance toInstance(Row row) {
        var launchRequest = new LaunchRequest(
                row.getString("app_slug"),
                row.getString("operating_mode"),
                row.getString("control_plane_scope"),
                row.getString("region"),
                row.getString("sku"),
                row.getInteger("gpu_count"),
                List.of(row.getArrayOfStrings("artifact_sources")));
        return new AffectedInstance(row.getUUID("id"), row.getString("status"), launchRequest);
    }

    private static AffectedEntitlement toEntitlement(Row row) {
        return new AffectedEntitlement(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("department_id"),
                row.getString("plan"),
                row.getString("slug"),
                row.getString("overrides"),
                row.getLong("revision"),
                row.getBoolean("enabled"),
                row.getOffsetDateTime("created_at").toInstant());
    }
}
