package dev.slipway.instances.launch;

import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Reads the effective policy of a project, for changes of existing instances and for views. */
public final class ProjectPolicyStore {
    private static final String FIND = "SELECT " + LaunchContextStore.POLICY_COLUMNS + """
            FROM projects p JOIN organizations o ON o.id = p.org_id WHERE p.id = $1
            """;
    private static final String FIND_WITH_ENTITLEMENTS = "SELECT " + LaunchContextStore.POLICY_COLUMNS + """
            , a.id AS app_id, e.id AS entitlement_id, e.revision AS entitlement_version,
            coalesce(e.policy_overrides, '{}')::text AS overrides
            FROM projects p JOIN organizations o ON o.id = p.org_id CROSS JOIN unnest($2::uuid[]) AS a (id)
            LEFT JOIN project_app_entitlements e ON e.project_id = p.id AND e.app_id = a.id
            WHERE p.id = $1 AND p.org_id = $3
            """;
    private static final String FIND_AGE =
            "SELECT extract(epoch FROM now() - known_until)::float8 AS policy_age_s FROM catalog_freshness";

    private final SqlClient reads;
    private final LaunchContextStore contexts;
    private final PolicyMetrics metrics;

    public ProjectPolicyStore(SqlClient reads, LaunchContextStore contexts, PolicyMetrics metrics) {
        this.reads = reads;
        this.contexts = contexts;
        this.metrics = metrics;
    }

    /** The policy of a project, and the age of the data that it was computed from. */
    record ProjectPolicy(EffectivePolicy effective, double ageSeconds) {}

    /** Loads the effective policy of a project, without the entitlement to an app. */
    Future<ProjectPolicy> load(UnitOfWork unit, UUID projectId) {
        return unit.query(FIND, Tuple.of(projectId)).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(LaunchContextStore.notReplicated());
            }
            var row = rows.iterator().next();
            return contexts.parsePolicy(unit, row)
                    .map(policy -> new ProjectPolicy(policy.effective(), row.getDouble("policy_age_s")));
        });
    }

    /** Returns the effective policy of a project for each app, including the entitlement; nothing if it belongs to another organization. */
    public Future<Map<UUID, EffectivePolicy>> findEffective(UUID orgId, UUID projectId, Collection<UUID> appIds) {
        return reads.preparedQuery(FIND_WITH_ENTITLEMENTS)
                .execute(Tuple.of(projectId, appIds.toArray(UUID[]::new), orgId))
                .compose(rows -> {
                    var found = new HashMap<UUID, EffectivePolicy>();
                    var parsed = new ArrayList<Future<Void>>();
                    rows.forEach(row -> parsed.add(contexts.parsePolicy(row).map(levels -> {
                        found.put(
                                row.getUUID("app_id"),
                                withEntitlement(row, levels).effective());
                        return null;
                    })));
                    return Future.all(parsed).map(found);
                });
    }

    private static LaunchPolicy withEntitlement(Row row, LaunchPolicy levels) {
        var id = row.getUUID("entitlement_id");
        return id == null
                ? levels
                : levels.withEntitlement(id, row.getLong("entitlement_version"), row.getString("overrides"));
    }

    /** Measures the age of the policy data, so that it is visible while nothing is decided. */
    public Future<Void> measureAge() {
        return reads.query(FIND_AGE).execute().map(rows -> {
            metrics.recordAge(rows.iterator().next().getDouble("policy_age_s"));
            return null;
        });
    }
}
