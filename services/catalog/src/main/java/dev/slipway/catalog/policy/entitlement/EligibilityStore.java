package dev.slipway.catalog.policy.entitlement;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads what decides whether a project can launch a version. */
public final class EligibilityStore {
    private static final String SELECT = """
            SELECT v.id, v.version, v.status, a.slug, a.status AS app_status, e.id AS entitlement_id, coalesce(e.enabled, false) AS enabled,
                coalesce(e.policy_overrides, '{}')::text AS overrides, coalesce(e.revision, 0) AS revision,
                ARRAY(SELECT jsonb_path_query(v.manifest, '$.artifacts[*].reference') #>> '{}') AS artifact_sources,
                EXISTS (SELECT FROM revoked_digests r
                    WHERE r.digest IN (SELECT jsonb_path_query(v.manifest, '$.artifacts[*].digest') #>> '{}')) AS artifact_revoked,
                (SELECT count(*) FROM launched_instances i
                    WHERE i.project_id = $1 AND i.org_id = $2 AND i.app_slug = a.slug AND i.status <> 'deleted') AS live
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            LEFT JOIN project_app_entitlements e ON e.app_id = a.id AND e.project_id = $1 AND e.org_id = $2
            WHERE v.id = ANY($3)
            """;

    /**
     * A version, its app, and the project's entitlement to the app.
     *
     * @param entitlementId null if the project has no entitlement
     * @param overrides the policy overrides of the entitlement, as JSON text
     */
    public record EligibilityInputs(
            UUID versionId,
            String version,
            String versionStatus,
            String appSlug,
            String appStatus,
            @Nullable UUID entitlementId,
            boolean enabled,
            String overrides,
            long revision,
            List<String> artifactSources,
            boolean artifactRevoked,
            long liveInstances) {}

    private final SqlClient reads;

    public EligibilityStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Versions that do not exist are missing from the result. */
    Future<List<EligibilityInputs>> load(UUID orgId, UUID projectId, List<UUID> versionIds) {
        var parameters = Tuple.of(projectId, orgId).addArrayOfUUID(versionIds.toArray(UUID[]::new));
        return reads.preparedQuery(SELECT).execute(parameters).map(rows -> {
            var inputs = new ArrayList<EligibilityInputs>(rows.size());
            rows.forEach(row -> inputs.add(new EligibilityInputs(
                    row.getUUID("id"),
                    row.getString("version"),
                    row.getString("status"),
                    row.getString("slug"),
                    row.getString("app_status"),
                    row.getUUID("entitlement_id"),
                    row.getBoolean("enabled"),
                    row.getString("overrides"),
                    row.getLong("revision"),
                    List.of(row.getArrayOfStrings("artifact_sources")),
                    row.getBoolean("artifact_revoked"),
                    row.getLong("live"))));
            return inputs;
        });
    }
}
