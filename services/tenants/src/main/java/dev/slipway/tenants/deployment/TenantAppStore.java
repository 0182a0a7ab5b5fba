package dev.slipway.tenants.deployment;

import dev.slipway.contract.Json;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.tenants.deployment.domain.Deployment;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of installed apps, and of the catalog's entitlements that allow to install them. */
public final class TenantAppStore {
    /** For each app its newest deployment, its newest ready one, its objects, and the tables that the newest deployment created. */
    private static final String FIND = """
            SELECT a.app_id, a.name, a.app_slug, latest.deployment_id AS latest_id, effective.deployment_id AS effective_id,
                coalesce(effective.metadata, latest.metadata) ->> 'label' AS label,
                coalesce(effective.metadata, latest.metadata) #> '{dependencies}' AS dependencies,
                (SELECT coalesce(jsonb_agg(o.object_name ORDER BY o.object_name), '[]')::text FROM deployed_objects o
                    WHERE o.tenant_id = a.tenant_id AND o.app_name = a.name) AS objects,
                (SELECT coalesce(jsonb_agg(c ->> 'entity_name'), '[]')::text FROM jsonb_array_elements(latest.diff -> 'changes') c
                    WHERE c ->> 'entity_type' = 'object' AND c ->> 'change_type' = 'added') AS created
            FROM tenant_apps a
            JOIN LATERAL (SELECT d.deployment_id, d.metadata, d.diff FROM deployments d
                WHERE d.tenant_id = a.tenant_id AND d.app_name = a.name ORDER BY d.position DESC LIMIT 1) latest ON true
            LEFT JOIN LATERAL (SELECT d.deployment_id, d.metadata FROM deployments d
                WHERE d.tenant_id = a.tenant_id AND d.app_name = a.name AND d.status = 'ready' ORDER BY d.position DESC LIMIT 1) effective ON true
            WHERE a.org_id = $1 AND a.tenant_id = $2 AND ($3::text IS NULL OR a.name = $3) ORDER BY a.name
            """;

    private static final String UPSERT = """
            INSERT INTO tenant_apps (app_id, tenant_id, org_id, name, app_slug, config_overrides, created_at)
            VALUES ($1, $2, $3, $4, $5, $6::text::jsonb, $7)
            ON CONFLICT (tenant_id, name) DO UPDATE SET app_slug = $5, config_overrides = $6::text::jsonb
            """;
    private static final String IS_ENTITLED = """
            SELECT EXISTS (SELECT FROM catalog_entitlements e JOIN catalog_apps a ON a.app_id = e.app_id
                WHERE e.org_id = $1 AND a.app_slug = $2 AND e.enabled) AS entitled
            """;
    private static final String UPSERT_CATALOG_APP = """
            INSERT INTO catalog_apps (app_id, app_slug) VALUES ($1, $2) ON CONFLICT (app_id) DO NOTHING
            """;
    private static final String UPSERT_ENTITLEMENT = """
            INSERT INTO catalog_entitlements (entitlement_id, org_id, app_id, enabled, revision) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (entitlement_id) DO UPDATE SET enabled = $4, revision = $5 WHERE catalog_entitlements.revision <= $5
            """;

    private final SqlClient reads;
    private final DeploymentStore deployments;

    public TenantAppStore(SqlClient reads, DeploymentStore deployments) {
        this.reads = reads;
        this.deployments = deployments;
    }

    /** An app with its newest deployment and the one that is in effect. */
    record InstalledApp(
            UUID appId,
            String name,
            String appSlug,
            @Nullable String label,
            List<String> dependencies,
            Deployment latest,
            @Nullable Deployment effective,
            List<String> objects,
            List<String> createdTables) {}

    /** Returns the executor for checks that change nothing. */
    QueryExecutor outsideTransaction() {
        return QueryExecutor.of(reads);
    }

    Future<List<InstalledApp>> list(QueryExecutor executor, UUID orgId, UUID tenantId) {
        return find(executor, orgId, tenantId, null);
    }

    Future<List<InstalledApp>> list(UUID orgId, UUID tenantId) {
        return list(QueryExecutor.of(reads), orgId, tenantId);
    }

    Future<@Nullable InstalledApp> find(UUID orgId, UUID tenantId, String name) {
        return find(QueryExecutor.of(reads), orgId, tenantId, name).map(found -> found.isEmpty() ? null : found.get(0));
    }

    private Future<List<InstalledApp>> find(QueryExecutor executor, UUID orgId, UUID tenantId, @Nullable String name) {
        return executor.query(FIND, Tuple.of(orgId, tenantId, name)).compose(rows -> {
            var apps = new ArrayList<Future<InstalledApp>>();
            rows.forEach(row -> apps.add(withDeployments(executor, orgId, tenantId, row)));
            return Future.all(apps).map(all -> all.<InstalledApp>list());
        });
    }

    private Future<InstalledApp> withDeployments(QueryExecutor executor, UUID orgId, UUID tenantId, Row row) {
        var latestId = row.getUUID("latest_id");
        var effectiveId = row.getUUID("effective_id");
        var latest = deployments.find(executor, orgId, tenantId, latestId);
        return (effectiveId == null || effectiveId.equals(latestId)
                        ? latest
                        : deployments.find(executor, orgId, tenantId, effectiveId))
                .compose(effective -> latest.map(found -> new InstalledApp(
                        row.getUUID("app_id"),
                        row.getString("name"),
                        row.getString("app_slug"),
                        row.getString("label"),
                        texts(String.valueOf(row.getValue("dependencies"))),
                        found.deployment(),
                        effectiveId == null ? null : effective.deployment(),
                        texts(row.getString("objects")),
                        texts(row.getString("created")))));
    }

    void upsert(UnitOfWork unit, UUID appId, Deployment deployment, String appSlug, String configOverrides) {
        unit.write(
                UPSERT,
                Tuple.of(
                        appId,
                        deployment.tenantId(),
                        deployment.orgId(),
                        deployment.appName(),
                        appSlug,
                        configOverrides,
                        SqlTime.of(unit.now())));
    }

    /** Returns whether a project of the organization is entitled to the app. */
    Future<Boolean> isEntitled(QueryExecutor executor, UUID orgId, String appSlug) {
        return executor.query(IS_ENTITLED, Tuple.of(orgId, appSlug))
                .map(rows -> rows.iterator().next().getBoolean("entitled"));
    }

    void upsertCatalogApp(UnitOfWork unit, UUID appId, String appSlug) {
        unit.write(UPSERT_CATALOG_APP, Tuple.of(appId, appSlug));
    }

    void upsertEntitlement(UnitOfWork unit, UUID id, UUID orgId, UUID appId, boolean enabled, long revision) {
        unit.write(UPSERT_ENTITLEMENT, Tuple.of(id, orgId, appId, enabled, revision));
    }

    private static List<String> texts(String json) {
        var texts = new ArrayList<String>();
        Json.parseTrusted(json.getBytes(StandardCharsets.UTF_8)).forEach(item -> texts.add(item.asText()));
        return texts;
    }
}
