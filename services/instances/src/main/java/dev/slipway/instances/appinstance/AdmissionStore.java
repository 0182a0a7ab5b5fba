package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.Admission.Version;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Reads, behind the project's lock, all that a launch is decided by. */
public final class AdmissionStore {
    private static final String ADMIT = "SELECT " + PolicyStore.COLUMNS + """
            , p.org_id, a.id AS app_id, v.id AS version_id, v.runtime_backend, v.status AS version_status,
                   coalesce(v.revision, 0) AS version_revision, coalesce(v.artifact_sources, '{}') AS artifact_sources,
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
            FOR NO KEY UPDATE OF p
            """;
    /** As many as are needed to know that it is enough. Its own statement: it must see what was committed before the lock was got. */
    private static final String COUNT = """
            SELECT count(*) AS live FROM (
                SELECT FROM app_instances WHERE project_id = $1 AND app_id = $2 AND status <> 'deleted' LIMIT $3) AS counted
            """;

    private static final String VERSION = """
            SELECT v.id, v.runtime_backend, v.revision, a.slug
            FROM app_versions v JOIN app_catalog a ON a.id = v.app_id WHERE v.app_id = $1 AND v.version = $2
            """;

    private final SqlClient reads;
    private final PolicyStore policies;
    private final PolicyMetrics metrics;

    /** {@code policyBudget}: how old what is known of policy may be. */
    public AdmissionStore(SqlClient reads, Duration policyBudget, PolicyMetrics metrics) {
        this.reads = reads;
        policies = new PolicyStore(policyBudget, metrics);
        this.metrics = metrics;
    }

    /** What is known about a launch; the manifest goes to the runtime. */
    public record Admitted(
            Admission admission,
            ManifestKey manifest,
            EffectivePolicy policy,
            @Nullable Quota quota) {}

    /** Which manifest: it is not read with the rest, as who launches has mostly read it before. */
    public record ManifestKey(@Nullable UUID versionId, long revision) {}

    /** A version, by its app and its name. */
    public record KnownVersion(App app, ManifestKey manifest) {}

    /** How many instances of the app the project may have, and has; null where there is no limit, or something else is in the way. */
    public record Quota(long limit, long used) {}

    /** What is judged: a launch makes one instance more, a change does not, and a removal takes nothing that policy guards. */
    public enum Purpose {
        LAUNCH,
        CHANGE,
        REMOVAL
    }

    private record Judged(
            Policy policy,
            EffectivePolicy effective,
            @Nullable Quota quota) {}

    public Future<Admitted> admit(UnitOfWork unit, Launch launch, Purpose purpose) {
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
            var manifest = new ManifestKey(row.getUUID("version_id"), row.getLong("version_revision"));
            return judged(unit, row, launch, purpose)
                    .map(judged ->
                            new Admitted(admission(row, judged.policy), manifest, judged.effective, judged.quota));
        });
    }

    /** Shows how old what is known of policy is, whether or not anything is being decided; to be called now and then. */
    public Future<Void> watchPolicy() {
        return policies.watch(reads);
    }

    /** Refuses where policy has changes of instances switched off; all but a removal also where nobody knows whether it has. */
    public Future<Void> requireMutable(UnitOfWork unit, UUID projectId, Purpose purpose) {
        var said = purpose == Purpose.REMOVAL
                ? policies.ofProject(unit, projectId)
                : policies.freshOfProject(unit, projectId);
        return said.compose(policy -> {
            var started = System.nanoTime();
            var off = LaunchPolicy.switchedOff(policy.effective());
            metrics.decided(off, System.nanoTime() - started);
            return off == null
                    ? Future.succeededFuture()
                    : Future.failedFuture(
                            Problem.of(ErrorCode.of(off.code()), off.message()).asException());
        });
    }

    /** What a version of an instance's app is, whatever has become of it since. */
    public Future<KnownVersion> version(UnitOfWork unit, UUID appId, String version) {
        return unit.query(VERSION, Tuple.of(appId, version)).map(rows -> {
            var row = rows.iterator().next();
            var id = row.getUUID("id");
            return new KnownVersion(
                    new App(appId, id, row.getString("slug"), version, row.getString("runtime_backend")),
                    new ManifestKey(id, row.getLong("revision")));
        });
    }

    private Future<Judged> judged(UnitOfWork unit, Row row, Launch launch, Purpose purpose) {
        return policies.fresh(unit, row).compose(levels -> {
            var started = System.nanoTime();
            var entitlementId = row.getUUID("entitlement_id");
            var spoken = entitlementId == null
                    ? levels
                    : levels.with(entitlementId, row.getLong("entitlement_version"), row.getString("overrides"));
            var effective = spoken.effective();
            var policy = LaunchPolicy.judged(effective, launch, List.of(row.getArrayOfStrings("artifact_sources")));
            metrics.decided(policy.refusal(), System.nanoTime() - started);
            var limit = effective.limit(PolicyKeys.MAX_INSTANCES);
            var appId = row.getUUID("app_id");
            if (purpose != Purpose.LAUNCH || limit.isEmpty() || appId == null || policy.refusal() != null) {
                return Future.succeededFuture(new Judged(policy, effective, null));
            }
            var most = limit.getAsLong();
            return unit.query(COUNT, Tuple.of(launch.projectId(), appId, most)).map(counted -> {
                var live = counted.iterator().next().getLong("live");
                var judged = live < most ? policy : LaunchPolicy.full(policy, effective, most);
                metrics.refused(judged.refusal());
                return new Judged(judged, effective, new Quota(most, live));
            });
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
