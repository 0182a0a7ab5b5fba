package dev.slipway.catalog.policy;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import dev.slipway.service.NotReplicatedException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.UUID;

/** Reads the policy keys and all documents that apply to a subject, in one statement. */
public final class EffectivePolicyStore {
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
            WHERE kind = 'policy' AND state <> 'draft'
            UNION ALL
            SELECT 'place', id::text, 0, '{}', '{}' FROM projects WHERE id = $4 AND org_id = $2
            """;

    private final SqlClient reads;

    public EffectivePolicyStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Reads the levels of a project, including its entitlement to an app if a slug is given. */
    public Future<PolicyLevels> findForProject(UUID orgId, UUID projectId, @Nullable String appSlug) {
        return reads.preparedQuery(LEVELS)
                .execute(Tuple.of(null, orgId, null, projectId, appSlug))
                .compose(EffectivePolicyStore::requireReplicated);
    }

    /** Like {@link #findForProject(UUID, UUID, String)}, within a transaction. */
    public static Future<PolicyLevels> findForProject(
            UnitOfWork unit, UUID orgId, UUID projectId, @Nullable String appSlug) {
        return unit.query(LEVELS, Tuple.of(null, orgId, null, projectId, appSlug))
                .compose(EffectivePolicyStore::requireReplicated);
    }

    /** Reads the global level, which applies to the platform's own resources. */
    public static Future<PolicyLevels> findGlobal(UnitOfWork unit) {
        return findForSubject(unit, PolicySubject.global());
    }

    static Future<PolicyLevels> findForSubject(UnitOfWork unit, PolicySubject subject) {
        return unit.query(LEVELS, row(subject)).map(EffectivePolicyStore::toLevels);
    }

    Future<PolicyLevels> findForSubject(PolicySubject subject) {
        return reads.preparedQuery(LEVELS).execute(row(subject)).map(EffectivePolicyStore::toLevels);
    }

    private static Tuple row(PolicySubject subject) {
        return Tuple.of(subject.plan(), subject.orgId(), subject.departmentId(), subject.projectId(), null);
    }

    /** Fails if the project is not replicated yet: its plan and department would be unknown. */
    private static Future<PolicyLevels> requireReplicated(RowSet<Row> rows) {
        for (var row : rows) {
            if (row.getString("level").equals("place")) {
                return Future.succeededFuture(toLevels(rows));
            }
        }
        return Future.failedFuture(new NotReplicatedException("Project data"));
    }

    private static PolicyLevels toLevels(RowSet<Row> rows) {
        var registered = new ArrayList<PolicyKeys.RegisteredKey>();
        for (var row : rows) {
            if (row.getString("level").equals("key")) {
                registered.add(new PolicyKeys.RegisteredKey(
                        row.getString("subject_id"),
                        row.getLong("version").intValue(),
                        TextEnum.parse(RegistryLifecycle.class, row.getString("hard_denies")),
                        Json.parseStoredObject(row.getString("said"))));
            }
        }
        var keys = PolicyKeys.effectiveKeys(registered);
        var documents = new ArrayList<PolicyDocument>();
        for (var row : rows) {
            var level = row.getString("level");
            if (!level.equals("key") && !level.equals("place")) {
                documents.add(toDocument(keys, TextEnum.parse(PolicyLevel.class, level), row));
            }
        }
        return new PolicyLevels(keys, PolicyKeys.writable(registered), documents);
    }

    static PolicyDocument toDocument(PolicyKeys keys, PolicyLevel policyLevel, Row row) {
        return PolicyDocument.fromStored(
                keys,
                policyLevel,
                row.getString("subject_id"),
                row.getLong("version"),
                Json.parseStoredObject(row.getString("said")),
                Json.parseStoredObject(row.getString("hard_denies")));
    }
}
