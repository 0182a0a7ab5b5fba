package dev.slipway.instances.appinstance;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.FactsStore.Facts;
import dev.slipway.instances.appinstance.domain.Admission;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.UUID;

/** Judges launches and changes by what is known, behind the project's lock. */
public final class AdmissionStore {
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
    private final FactsStore facts;
    private final PolicyMetrics metrics;

    /** {@code policyBudget}: how old what is known of policy may be. */
    public AdmissionStore(SqlClient reads, Duration policyBudget, PolicyMetrics metrics) {
        this.reads = reads;
        policies = new PolicyStore(policyBudget, metrics);
        facts = new FactsStore(policies);
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

    private record Judged(Policy policy, @Nullable Quota quota) {}

    public Future<Admitted> admit(UnitOfWork unit, Launch launch, Purpose purpose) {
        return facts.of(unit, launch).compose(known -> judged(unit, known, launch, purpose)
                .map(judged ->
                        new Admitted(known.admission(judged.policy), known.manifest(), known.policy(), judged.quota)));
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

    private Future<Judged> judged(UnitOfWork unit, Facts known, Launch launch, Purpose purpose) {
        var started = System.nanoTime();
        var policy = LaunchPolicy.judged(known.policy(), launch, known.artifactSources());
        metrics.decided(policy.refusal(), System.nanoTime() - started);
        var appId = known.appId();
        var limit = known.policy().limit(PolicyKeys.MAX_INSTANCES);
        if (purpose != Purpose.LAUNCH || limit.isEmpty() || appId == null || policy.refusal() != null) {
            return Future.succeededFuture(new Judged(policy, null));
        }
        var most = limit.getAsLong();
        return unit.query(COUNT, Tuple.of(launch.projectId(), appId, most)).map(counted -> {
            var live = counted.iterator().next().getLong("live");
            var judged = live < most ? policy : LaunchPolicy.full(policy, known.policy(), most);
            metrics.refused(judged.refusal());
            return new Judged(judged, new Quota(most, live));
        });
    }
}
