package dev.slipway.instances.appinstance;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.slipway.instances.appinstance.AdmissionStore.ManifestKey;
import dev.slipway.instances.appinstance.LaunchPolicy.Said;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.Admission.Version;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * All that launches are decided by, behind the project's lock. It comes from nine tables and hardly ever changes, so it is kept here, with two
 * numbers that the database raises with every change of it, and read again when one of them is another.
 */
final class FactsStore {
    private static final int MOST = 2_000;
    /** With the numbers that change when something does that launches are decided by: that is too much to be read each time. */
    private static final String LOCK = """
            SELECT p.facts, k.number, extract(epoch FROM now() - f.known_until)::float8 AS policy_age_s
            FROM projects p, known_facts k, catalog_freshness f WHERE p.id = $1
            FOR NO KEY UPDATE OF p
            """;

    private static final String FACTS = "SELECT " + PolicyStore.COLUMNS + """
            , p.facts, (SELECT k.number FROM known_facts k) AS number, p.org_id, a.id AS app_id, v.id AS version_id, v.runtime_backend,
                   v.status AS version_status, coalesce(v.revision, 0) AS version_revision,
                   coalesce(v.artifact_sources, '{}') AS artifact_sources,
                   coalesce(e.enabled AND a.status <> 'disabled', false) AS entitled,
                   coalesce(e.policy_overrides, '{}')::text AS overrides, e.id AS entitlement_id, e.revision AS entitlement_version,
                   s.id AS operator_id, u.id AS user_id,
                   EXISTS (SELECT FROM revoked_digests r WHERE r.digest = ANY (v.artifact_digests)) AS revoked
            FROM projects p
            JOIN organizations o ON o.id = p.org_id
            LEFT JOIN app_catalog a ON a.slug = $2
            LEFT JOIN app_versions v ON v.app_id = a.id AND v.version = $3
            LEFT JOIN project_app_entitlements e ON e.project_id = p.id AND e.app_id = a.id
            LEFT JOIN service_accounts s ON s.id = coalesce($4, p.operator_service_account_id)
                AND s.project_id = p.id AND s.org_id = p.org_id AND s.state = 'active'
            LEFT JOIN users u ON u.id = $5
            WHERE p.id = $1
            """;

    private final PolicyStore policies;
    private final Cache<Question, Facts> answers =
            Caffeine.newBuilder().maximumSize(MOST).build();

    FactsStore(PolicyStore policies) {
        this.policies = policies;
    }

    /** What a launch names that it is decided by. */
    private record Question(
            UUID projectId,
            String appSlug,
            String version,
            @Nullable UUID operatorId,
            UUID userId) {}

    /** What was known when the numbers were these: of the project, and of what all projects share. */
    record Facts(
            long ofProject,
            long ofAll,
            UUID orgId,
            @Nullable UUID appId,
            @Nullable Version version,
            ManifestKey manifest,
            boolean entitled,
            EffectivePolicy policy,
            List<String> artifactSources,
            @Nullable UUID operatorId) {
        Admission admission(Policy judged) {
            return new Admission(orgId, appId, version, entitled, judged, operatorId);
        }
    }

    /** Refuses where nobody knows whether that is what policy says now. */
    Future<Facts> of(UnitOfWork unit, Launch launch) {
        var question = new Question(
                launch.projectId(),
                launch.appSlug(),
                launch.appVersion(),
                launch.operatorServiceAccountId(),
                launch.requestedByUserId());
        return unit.query(LOCK, Tuple.of(launch.projectId())).compose(rows -> {
            if (rows.size() == 0) {
                return Future.failedFuture(PolicyStore.newHere());
            }
            var row = rows.iterator().next();
            policies.requireFresh(row);
            var known = answers.getIfPresent(question);
            return known != null && known.ofProject == row.getLong("facts") && known.ofAll == row.getLong("number")
                    ? Future.succeededFuture(known)
                    : read(unit, question).onSuccess(read -> answers.put(question, read));
        });
    }

    private Future<Facts> read(UnitOfWork unit, Question question) {
        var asked =
                Tuple.of(question.projectId, question.appSlug, question.version, question.operatorId, question.userId);
        return unit.query(FACTS, asked).compose(rows -> {
            if (rows.size() == 0 || rows.iterator().next().getUUID("user_id") == null) {
                // Authorized, so both exist; what this service keeps of them has not arrived.
                return Future.failedFuture(PolicyStore.newHere());
            }
            var row = rows.iterator().next();
            return policies.of(unit, row).map(levels -> facts(row, levels));
        });
    }

    private static Facts facts(Row row, Said levels) {
        var entitlementId = row.getUUID("entitlement_id");
        var spoken = entitlementId == null
                ? levels
                : levels.with(entitlementId, row.getLong("entitlement_version"), row.getString("overrides"));
        var versionId = row.getUUID("version_id");
        return new Facts(
                row.getLong("facts"),
                row.getLong("number"),
                row.getUUID("org_id"),
                row.getUUID("app_id"),
                versionId == null
                        ? null
                        : new Version(
                                versionId,
                                row.getString("runtime_backend"),
                                row.getString("version_status"),
                                row.getBoolean("revoked")),
                new ManifestKey(versionId, row.getLong("version_revision")),
                row.getBoolean("entitled"),
                spoken.effective(),
                List.of(row.getArrayOfStrings("artifact_sources")),
                row.getUUID("operator_id"));
    }
}
