package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.Admission.Version;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.time.Duration;
import java.util.UUID;

/** Reads, behind the project's lock, all that a launch is decided by. */
public final class AdmissionStore {
    private static final String ADMIT = "SELECT " + PolicyStore.COLUMNS + """
            , p.org_id, a.id AS app_id, v.id AS version_id, v.runtime_backend, v.status AS version_status,
                   coalesce(v.manifest, '{}')::text AS manifest, coalesce(e.enabled AND a.status <> 'disabled', false) AS entitled,
                   coalesce(e.policy_overrides, '{}')::text AS overrides, e.id AS entitlement_id, e.revision AS entitlement_version,
                   s.id AS operator_id, u.id AS user_id,
                   EXISTS (SELECT FROM jsonb_path_query(v.manifest, '$.artifacts[*].digest') AS named (digest)
                       JOIN revoked_digests r ON r.digest = named.digest #>> '{}') AS revoked
            FROM projects p
            JOIN organizations o ON o.id = p.org_id
            LEFT JOIN app_catalog a ON a.slug = $2
            LEFT JOIN app_versions v ON v.app_id = a.id AND v.version = $3
            LEFT JOIN project_app_entitlements e ON e.project_id = p.id AND e.app_id = a.id
            LEFT JOIN service_accounts s ON s.id = coalesce($4, p.operator_service_account_id)
                AND s.project_id = p.id AND s.org_id = p.org_id AND s.state = 'active'
            LEFT JOIN users u ON u.id = $5
            WHERE p.id = $1
            FOR NO KEY UPDATE OF p
            """;
    /** As many as are needed to know that it is enough. Its own statement: it must see what was committed before the lock was got. */
    private static final String COUNT = """
            SELECT count(*) AS live FROM (
                SELECT FROM app_instances WHERE project_id = $1 AND app_id = $2 AND status <> 'deleted' LIMIT $3) AS counted
            """;

    private final PolicyStore policies;

    /** {@code policyBudget}: how old what is known of policy may be. */
    public AdmissionStore(Duration policyBudget) {
        policies = new PolicyStore(policyBudget);
    }

    /** What is known about a launch; the manifest goes to the runtime. */
    public record Admitted(Admission admission, String manifest) {}

    public Future<Admitted> admit(UnitOfWork unit, Launch launch) {
        var asked = Tuple.of(
                launch.projectId(),
                launch.appSlug(),
                launch.appVersion(),
                launch.operatorServiceAccountId(),
                launch.requestedByUserId());
        return unit.query(ADMIT, asked).compose(rows -> {
            if (rows.size() == 0 || rows.iterator().next().getUUID("user_id") == null) {
                // Authorized, so both exist; what this service keeps of them has not arrived.
                return Future.failedFuture(
                        Problem.of(ErrorCode.SERVICE_UNAVAILABLE, "This project is new here. Try again in a moment.")
                                .asException());
            }
            var row = rows.iterator().next();
            return policy(unit, row, launch)
                    .map(policy -> new Admitted(admission(row, policy), row.getString("manifest")));
        });
    }

    /** Refuses where policy has changes of instances switched off. */
    public Future<Void> requireMutable(UnitOfWork unit, UUID projectId) {
        return policies.ofProject(unit, projectId).compose(policy -> {
            var off = LaunchPolicy.switchedOff(policy.effective());
            return off == null
                    ? Future.succeededFuture()
                    : Future.failedFuture(
                            Problem.of(ErrorCode.of(off.code()), off.message()).asException());
        });
    }

    private Future<Policy> policy(UnitOfWork unit, Row row, Launch launch) {
        return policies.fresh(unit, row).compose(levels -> {
            var entitlementId = row.getUUID("entitlement_id");
            var spoken = entitlementId == null
                    ? levels
                    : levels.with(entitlementId, row.getLong("entitlement_version"), row.getString("overrides"));
            var effective = spoken.effective();
            var policy = LaunchPolicy.judged(effective, launch);
            var limit = effective.limit(PolicyKeys.MAX_INSTANCES);
            var appId = row.getUUID("app_id");
            if (limit.isEmpty() || appId == null || policy.refusal() != null) {
                return Future.succeededFuture(policy);
            }
            var most = limit.getAsLong();
            return unit.query(COUNT, Tuple.of(launch.projectId(), appId, most))
                    .map(counted -> counted.iterator().next().getLong("live") < most
                            ? policy
                            : LaunchPolicy.full(policy, most));
        });
    }

    private static Admission admission(Row row, Policy policy) {
        var versionId = row.getUUID("version_id");
        return new Admission(
                row.getUUID("org_id"),
                row.getUUID("app_id"),
                versionId == null
                        ? null
                        : new Version(
                                versionId,
                                row.getString("runtime_backend"),
                                row.getString("version_status"),
                                row.getBoolean("revoked")),
                row.getBoolean("entitled"),
                policy,
                row.getUUID("operator_id"));
    }
}
