package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.ArtifactLifecycle;
import dev.slipway.catalog.secret.Secrets;
import dev.slipway.catalog.secret.Secrets.Grant;
import dev.slipway.catalog.secret.Secrets.Lease;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;

/** Permissions to push to or pull from one repository, for a while. */
public final class IntentApi {
    private static final int DEFAULT_TTL_SECONDS = 900;

    private final List<PlatformSource> sources;
    private final SourcePolicy policy;
    private final ArtifactReadStore artifacts;
    private final ArtifactStore projects;
    private final IntentStore store;
    private final @Nullable Secrets secrets;
    private final Mutations mutations;
    private final Clock clock;

    /** {@code secrets} is null where the platform has no credentials to give. */
    public IntentApi(
            List<PlatformSource> sources,
            SourcePolicy policy,
            ArtifactReadStore artifacts,
            ArtifactStore projects,
            IntentStore store,
            @Nullable Secrets secrets,
            Mutations mutations,
            Clock clock) {
        this.sources = List.copyOf(sources);
        this.policy = policy;
        this.artifacts = artifacts;
        this.projects = projects;
        this.store = store;
        this.secrets = secrets;
        this.mutations = mutations;
        this.clock = clock;
    }

    public Future<Reply> publish(Request request) {
        var source = named(request.body().path("registry").asText());
        var repository = request.body().path("repository").asText();
        var namespace = source.pushNamespace(request.projectId());
        if (namespace == null || !repository.startsWith(namespace + "/")) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.REPOSITORY_NOT_ALLOWED,
                            namespace == null
                                    ? "Nobody pushes to " + source.name() + "."
                                    : "This project pushes to repositories below " + namespace + ".")
                    .asException());
        }
        // Clients look whether a blob is there before they send it, which is a pull.
        return granted(
                request,
                intent(request, "publish", source, repository, null),
                List.of("pull", "push"),
                (unit, orgId) -> Future.succeededFuture());
    }

    public Future<Reply> pull(Request request) {
        var id = UUID.fromString(request.body().path("artifact_id").asText());
        return artifacts
                .find(request.orgId(), request.projectId(), id)
                .compose(IntentApi::usable)
                .compose(artifact -> {
                    var slash = artifact.repository().indexOf('/');
                    var source = at(artifact.repository().substring(0, slash));
                    var repository = artifact.repository().substring(slash + 1);
                    return granted(
                            request,
                            intent(request, "pull", source, repository, id),
                            List.of("pull"),
                            (unit, orgId) -> artifacts
                                    .find(unit, orgId, request.projectId(), id)
                                    .compose(IntentApi::usable)
                                    .mapEmpty());
                });
    }

    /**
     * The credential is made before the transaction, and ended again if that comes to nothing or was there before.
     *
     * @param stillGood what has to hold in the transaction, too
     */
    private Future<Reply> granted(
            Request request,
            Intent intent,
            List<String> actions,
            BiFunction<UnitOfWork, UUID, Future<Void>> stillGood) {
        var issued = new Lease[1];
        return mutations
                .run(
                        request,
                        () -> issued(request, intent, actions).onSuccess(lease -> issued[0] = lease),
                        (unit, lease) -> projects.lockProject(unit, request.projectId())
                                .compose(orgId -> stillGood.apply(unit, orgId).map(orgId))
                                .map(orgId -> kept(request, unit, orgId, intent, lease)))
                .transform(done -> {
                    var lease = issued[0];
                    if (lease == null) {
                        return done.succeeded()
                                ? Future.succeededFuture(done.result())
                                : Future.failedFuture(done.cause());
                    }
                    if (done.succeeded() && intent.isIn(done.result())) {
                        return Future.succeededFuture(Intent.with(lease, done.result()));
                    }
                    return revoked(lease)
                            .transform(ended -> done.succeeded()
                                    ? Future.succeededFuture(done.result())
                                    : Future.failedFuture(done.cause()));
                });
    }

    private Future<Lease> issued(Request request, Intent intent, List<String> actions) {
        var service = intent.source().tokenService();
        if (secrets == null || service == null) {
            return Future.failedFuture(noCredentials(intent.source().host()));
        }
        var lifetime = Duration.between(intent.createdAt(), intent.expiresAt());
        return policy.of(Objects.requireNonNull(request.orgId()), request.projectId(), null)
                .compose(allowed -> allowed.allows().test(intent.source().host())
                        ? secrets.issue(new Grant(
                                request.principal().id().toString(), service, intent.repository(), actions, lifetime))
                        : Future.failedFuture(allowed.refused(intent.source().host())));
    }

    private Future<Void> revoked(Lease lease) {
        return secrets == null ? Future.succeededFuture() : secrets.revoke(lease.leaseId());
    }

    private Reply kept(Request request, UnitOfWork unit, UUID orgId, Intent intent, Lease lease) {
        var actor = request.principal();
        store.create(unit, orgId, request.projectId(), intent, lease.leaseId(), actor.id());
        var metadata = intent.json().put("lease_id", lease.leaseId());
        if (intent.artifactId() != null) {
            metadata.put("artifact_id", intent.artifactId().toString());
        }
        AuditTrail.success(
                unit,
                actor,
                new Entry(
                        "apps.artifact." + intent.action() + "_intent",
                        "artifact_intent",
                        intent.id().toString(),
                        orgId,
                        request.projectId(),
                        metadata));
        return Reply.of(intent.json());
    }

    private Intent intent(
            Request request, String action, PlatformSource source, String repository, @Nullable UUID artifactId) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        var ttl = request.body().path("ttl_seconds").asLong(DEFAULT_TTL_SECONDS);
        return new Intent(Ids.next(), action, source, repository, artifactId, now, now.plusSeconds(ttl));
    }

    private static Future<Artifact> usable(Artifact artifact) {
        var untrusted = ArtifactLifecycle.untrusted(artifact);
        if (untrusted != null) {
            return Future.failedFuture(Problem.of(ErrorCode.of(untrusted.code()), untrusted.message())
                    .asException());
        }
        return artifact.lifecycle() == Lifecycle.RETIRED
                ? Future.failedFuture(Problem.of(ErrorCode.STATE_CONFLICT, "The artifact is retired.")
                        .asException())
                : Future.succeededFuture(artifact);
    }

    private PlatformSource named(String name) {
        return sources.stream()
                .filter(source -> source.name().equals(name))
                .findFirst()
                .orElseThrow(() -> Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR,
                                "/registry",
                                "is not a source of the platform; GET /api/v1/apps/registry names them")
                        .asException());
    }

    private PlatformSource at(String host) {
        return sources.stream()
                .filter(source -> source.host().equals(host))
                .findFirst()
                .orElseThrow(() -> noCredentials(host));
    }

    private static ProblemException noCredentials(String host) {
        return Problem.of(
                        ErrorCode.CREDENTIALS_UNAVAILABLE,
                        "The platform has no credentials to give for " + host + ". Use your own.")
                .asException();
    }
}
