package dev.slipway.catalog.instanceprojection;

import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Stores the projection of instances. */
public final class InstanceProjectionStore {
    private static final String UPSERT = """
            INSERT INTO launched_instances (id, org_id, project_id, app_slug, app_version, status, operating_mode,
                control_plane_scope, region, sku, gpu_count, policy_version, sequence)
            SELECT * FROM jsonb_to_recordset($1::text::jsonb) AS r (app_instance_id uuid, org_id uuid, project_id uuid, app_slug text,
                app_version text, status text, operating_mode text, control_plane_scope text, region text, sku text,
                gpu_count integer, policy_version text, sequence bigint)
            ON CONFLICT (id) DO UPDATE SET app_version = EXCLUDED.app_version, status = EXCLUDED.status, region = EXCLUDED.region,
                sku = EXCLUDED.sku, gpu_count = EXCLUDED.gpu_count, policy_version = EXCLUDED.policy_version,
                sequence = EXCLUDED.sequence
            WHERE launched_instances.sequence < EXCLUDED.sequence
            """;

    private static final String COUNT_LIVE = """
            SELECT v.id, count(i.id) AS live
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            LEFT JOIN launched_instances i ON i.app_slug = a.slug AND i.app_version = v.version AND i.status <> 'deleted'
            WHERE v.id = ANY($1) GROUP BY v.id
            """;

    private final SqlClient reads;

    public InstanceProjectionStore(SqlClient reads) {
        this.reads = reads;
    }

    /** The columns of the projection, under the names that {@link #UPSERT} reads. */
    record InstanceRow(
            UUID appInstanceId,
            UUID orgId,
            UUID projectId,
            String appSlug,
            String appVersion,
            String status,
            @Nullable String operatingMode,
            @Nullable String controlPlaneScope,
            @Nullable String region,
            @Nullable String sku,
            @Nullable Integer gpuCount,
            @Nullable String policyVersion,
            long sequence) {}

    /** Inserts or updates instances. Rows with an older sequence than the stored one are ignored. */
    void upsert(UnitOfWork unit, List<InstanceRow> instances) {
        if (!instances.isEmpty()) {
            unit.write(UPSERT, Tuple.of(Json.text(instances)));
        }
    }

    /** Returns the number of instances that are not deleted, by version id. */
    public Future<Map<UUID, Long>> countLive(List<UUID> versionIds) {
        if (versionIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        return reads.preparedQuery(COUNT_LIVE)
                .execute(Tuple.tuple().addArrayOfUUID(versionIds.toArray(UUID[]::new)))
                .map(rows -> {
                    var counts = new HashMap<UUID, Long>();
                    rows.forEach(row -> counts.put(row.getUUID("id"), row.getLong("live")));
                    return counts;
                });
    }
}
