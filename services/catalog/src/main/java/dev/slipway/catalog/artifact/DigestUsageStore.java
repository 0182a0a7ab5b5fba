package dev.slipway.catalog.artifact;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Finds the instances of all tenants that run with a digest, from the projection of instance events. */
public final class DigestUsageStore {
    private static final String SELECT = """
            SELECT i.id, i.org_id, i.project_id, count(*) OVER () AS total
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id
            JOIN launched_instances i ON i.app_slug = a.slug AND i.app_version = v.version AND i.status <> 'deleted'
            WHERE (v.manifest -> 'artifacts') @> jsonb_build_array(jsonb_build_object('digest', $1::text))
            ORDER BY i.id LIMIT $2
            """;

    /** The number of instances, and the first of them. */
    record DigestUsage(long total, List<RunningInstance> instances) {
        static final DigestUsage NONE = new DigestUsage(0, List.of());
    }

    record RunningInstance(UUID orgId, UUID projectId, UUID appInstanceId) {}

    /** Finds the live instances of versions that reference the digest. */
    Future<DigestUsage> findInstances(UnitOfWork unit, String digest, int limit) {
        return unit.query(SELECT, Tuple.of(digest, limit)).map(rows -> {
            var instances = new ArrayList<RunningInstance>(rows.size());
            var total = 0L;
            for (var row : rows) {
                instances.add(new RunningInstance(row.getUUID("org_id"), row.getUUID("project_id"), row.getUUID("id")));
                total = row.getLong("total");
            }
            return new DigestUsage(total, instances);
        });
    }
}
