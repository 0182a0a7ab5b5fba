package dev.slipway.catalog.entitlement;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads what a project holds of versions. */
public final class LaunchabilityStore {
    private static final String ASKED = """
            SELECT v.id, v.status, a.slug, a.status AS app_status, e.id AS entitlement_id, coalesce(e.enabled, false) AS enabled,
                coalesce(e.policy_overrides, '{}')::text AS overrides, coalesce(e.revision, 0) AS revision,
                ARRAY(SELECT jsonb_path_query(v.manifest, '$.artifacts[*].reference') #>> '{}') AS artifact_sources,
                (SELECT count(*) FROM launched_instances i
                    WHERE i.project_id = $1 AND i.org_id = $2 AND i.app_slug = a.slug AND i.status <> 'deleted') AS live
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            LEFT JOIN project_app_entitlements e ON e.app_id = a.id AND e.project_id = $1 AND e.org_id = $2
            WHERE v.id = ANY($3)
            """;

    /** A version, and what the project holds of its app. */
    record Held(
            UUID versionId,
            String versionStatus,
            String appSlug,
            String appStatus,
            @Nullable UUID entitlementId,
            boolean enabled,
            String overrides,
            long revision,
            List<String> artifactSources,
            long live) {}

    private final SqlClient reads;

    public LaunchabilityStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<List<Held>> held(UUID orgId, UUID projectId, List<UUID> versionIds) {
        var row = Tuple.of(projectId, orgId).addArrayOfUUID(versionIds.toArray(UUID[]::new));
        return reads.preparedQuery(ASKED).execute(row).map(rows -> {
            var found = new ArrayList<Held>();
            rows.forEach(each -> found.add(new Held(
                    each.getUUID("id"),
                    each.getString("status"),
                    each.getString("slug"),
                    each.getString("app_status"),
                    each.getUUID("entitlement_id"),
                    each.getBoolean("enabled"),
                    each.getString("overrides"),
                    each.getLong("revision"),
                    List.of(each.getArrayOfStrings("artifact_sources")),
                    each.getLong("live"))));
            return found;
        });
    }
}
