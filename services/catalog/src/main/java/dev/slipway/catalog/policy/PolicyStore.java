package dev.slipway.catalog.policy;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKey;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.UUID;

/** Reads, in one statement, the policy keys and what every level says that speaks to somebody. */
public final class PolicyStore {
    private static final String LEVELS = """
            SELECT l.level, l.subject_id, l.version, l.said::text AS said, l.hard_denies::text AS hard_denies
            FROM (VALUES ('global', 'platform'),
                    ('plan', coalesce($1::text, (SELECT plan FROM organizations WHERE id = $2))),
                    ('organization', $2::uuid::text),
                    ('department', coalesce($3::uuid, (SELECT department_id FROM projects WHERE id = $4 AND org_id = $2))::text),
                    ('project', $4::uuid::text)) AS place (level, subject_id)
            JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id AND l.version > 0
                AND (l.org_id IS NULL OR l.org_id = $2)
            UNION ALL
            SELECT 'entitlement', e.id::text, e.revision, e.policy_overrides::text, '{}'
            FROM project_app_entitlements e JOIN app_catalog a ON a.id = e.app_id
            WHERE e.project_id = $4 AND e.org_id = $2 AND a.slug = $5
            UNION ALL
            SELECT 'key', id, version, body::text, state FROM registry_entries
            WHERE kind = 'policy' AND state IN ('active', 'deprecated')
            UNION ALL
            SELECT 'place', id::text, 0, '{}', '{}' FROM projects WHERE id = $4 AND org_id = $2
            """;

    private final SqlClient reads;

    public PolicyStore(SqlClient reads) {
        this.reads = reads;
    }

    /** For a project, and for one app in it where one is named. */
    public Future<Levels> ofProject(UUID orgId, UUID projectId, @Nullable String appSlug) {
        return reads.preparedQuery(LEVELS)
                .execute(Tuple.of(null, orgId, null, projectId, appSlug))
                .compose(PolicyStore::known);
    }

    /** The same, in a transaction. */
    public static Future<Levels> ofProject(UnitOfWork unit, UUID orgId, UUID projectId, @Nullable String appSlug) {
        return unit.query(LEVELS, Tuple.of(null, orgId, null, projectId, appSlug))
                .compose(PolicyStore::known);
    }

    static Future<Levels> of(UnitOfWork unit, Subject subject) {
        return unit.query(LEVELS, row(subject)).map(PolicyStore::levels);
    }

    Future<Levels> of(Subject subject) {
        return reads.preparedQuery(LEVELS).execute(row(subject)).map(PolicyStore::levels);
    }

    private static Tuple row(Subject subject) {
        return Tuple.of(subject.plan(), subject.orgId(), subject.departmentId(), subject.projectId(), null);
    }

    /** What is not known to be in a plan and a department may not be judged as if it were in none. */
    private static Future<Levels> known(RowSet<Row> rows) {
        for (var row : rows) {
            if (row.getString("level").equals("place")) {
                return Future.succeededFuture(levels(rows));
            }
        }
        return Future.failedFuture(
                Problem.of(ErrorCode.SERVICE_UNAVAILABLE, "This project is new here. Try again in a moment.")
                        .asException());
    }

    private static Levels levels(RowSet<Row> rows) {
        var keys = new ArrayList<PolicyKey>();
        var writable = new ArrayList<PolicyKey>();
        for (var row : rows) {
            if (row.getString("level").equals("key")) {
                var version = row.getLong("version").intValue();
                var key = PolicyKey.of(row.getString("subject_id"), version, Json.trusted(row.getString("said")));
                if (key != null) {
                    keys.add(key);
                    if (row.getString("hard_denies").equals("active")) {
                        writable.add(key);
                    }
                }
            }
        }
        var known = PolicyKeys.of(keys);
        var documents = new ArrayList<PolicyDocument>();
        for (var row : rows) {
            var level = row.getString("level");
            if (!level.equals("key") && !level.equals("place")) {
                documents.add(document(known, Level.of(level), row));
            }
        }
        return new Levels(known, PolicyKeys.of(writable), documents);
    }

    static PolicyDocument document(PolicyKeys keys, Level level, Row row) {
        return PolicyDocument.stored(
                keys,
                level,
                row.getString("subject_id"),
                row.getLong("version"),
                Json.trusted(row.getString("said")),
                Json.trusted(row.getString("hard_denies")));
    }
}
