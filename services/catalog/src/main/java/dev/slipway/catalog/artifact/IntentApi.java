package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.credential.CredentialIssuer;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.CredentialRequest;
import dev.slipway.catalog.artifact.credential.CredentialIssuer.Lease;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.ArtifactLifecycle;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
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

/** Issues short-lived credentials to push to or pull from one repository. */
public final class IntentApi {
    private static final int DEFAULT_TTL_SECONDS = 900;

    private final List<PlatformSource> sources;
    private final SourcePolicy policy;
    private final ArtifactReadStore artifacts;
    private final ArtifactStore projects;
    private final IntentStore store;
    private final @Nullable CredentialIssuer credentialIssuer;
    private final Mutations mutations;
    private final Clock clock;

    /** {@code credentialIssuer} is null if the platform cannot issue credentials. */
    public IntentApi(
            List<PlatformSource> sources,
            SourcePolicy policy,
            ArtifactReadStore artifacts,
            ArtifactStore projects,
            IntentStore store,
            @Nullable CredentialIssuer credentialIssuer,
            Mutations mutations,
            Clock clock) {
        this.sources = List.copyOf(sources);
        this.policy = policy;
        this.artifacts = artifacts;
        this.projects = projects;
        this.store = store;
        this.credentialIssuer = credentialIssuer;
        this.mutations = mutations;
        this.clock = clock;
    }

    private record PublishRequest(
            String registry, String repository, @Nullable Long ttlSeconds) {}

    private record PullRequest(UUID artifactId, @Nullable Long ttlSeconds) {}

    public Future<Reply> publish(Request request) {
        var body = Json.toRecord(request.body(), PublishRequest.class);
        var source = requireSourceNamed(body.registry());
        var repository = body.repository();
        var namespace = source.pushNamespace(request.projectId());
        if (namespace == null || !repository.startsWith(namespace + "/")) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.REPOSITORY_NOT_ALLOWED,
                            namespace == null
                                    ? "Source " + source.name() + " does not accept pushes."
                                    : "This project can only push to repositories below " + namespace + "/.")
                    .asException());
        }
        // Clients check whether a blob exists before they upload it, which requires pull.
        return issueIntent(
                request,
                intent("publish", source, repository, null, body.ttlSeconds()),
                List.of("pull", "push"),
                (unit, orgId) -> Future.succeededFuture());
    }

    public Future<Reply> pull(Request request) {
        var body = Json.toRecord(request.body(), PullRequest.class);
        var id = body.artifactId();
        return artifacts
                .find(request.orgId(), request.projectId(), id)
                .compose(IntentApi::requireUsable)
                .compose(artifact -> {
                    var slash = artifact.repository().indexOf('/');
                    var source = requireSourceAt(artifact.repository().substring(0, slash));
                    var repository = artifact.repository().substring(slash + 1);
                    return issueIntent(
                            request,
                            intent("pull", source, repository, id, body.ttlSeconds()),
                            List.of("pull"),
                            (unit, orgId) -> artifacts
                                    .find(unit, orgId, request.projectId(), id)
                                    .compose(IntentApi::requireUsable)
                                    .mapEmpty());
                });
    }

    /**
     * Issues the credential before the transaction, and revokes it if the transaction fails or the intent already existed.
     *
     * @param recheck repeats the checks of the request within the transaction
     */
    private Future<Reply> issueIntent(
            Request request, Intent intent, List<String> actions, BiFunction<UnitOfWork, UUID, Future<Void>> recheck) {
        var issued = new Lease[1];
        return mutations
                .run(
                        request,
                        () -> issueCredential(request, intent, actions).onSuccess(lease -> issued[0] = lease),
                        (unit, lease) -> projects.lockProject(unit, request.projectId())
                                .compose(orgId -> recheck.apply(unit, orgId).map(orgId))
                                .map(orgId -> saveIntent(request, unit, orgId, intent, lease)))
                .transform(done -> {
                    var lease = issued[0];
                    if (lease == null) {
                        return done.succeeded()
                                ? Future.succeededFuture(done.result())
                                : Future.failedFuture(done.cause());
                    }
                    if (done.succeeded() && intent.matches(done.result())) {
                        return Future.succeededFuture(Intent.withCredential(lease, done.result()));
                    }
                    return revokeLease(lease)
                            .transform(ended -> done.succeeded()
                                    ? Future.succeededFuture(done.result())
                                    : Future.failedFuture(done.cause()));
                });
    }

    private Future<Lease> issueCredential(Request request, Intent intent, List<String> actions) {
        var service = intent.source().tokenService();
        if (credentialIssuer == null || service == null) {
            return Future.failedFuture(credentialsUnavailable(intent.source().host()));
        }
        var lifetime = Duration.between(intent.createdAt(), intent.expiresAt());
        return policy.find(Objects.requireNonNull(request.orgId()), request.projectId(), null)
                .compose(allowedSources -> allowedSources
                                .allows()
                                .test(intent.source().host())
                        ? credentialIssuer.issue(new CredentialRequest(
                                request.principal().id().toString(), service, intent.repository(), actions, lifetime))
                        : Future.failedFuture(
                                allowedSources.notAllowed(intent.source().host())));
    }

    private Future<Void> revokeLease(Lease lease) {
        return credentialIssuer == null ? Future.succeededFuture() : credentialIssuer.revoke(lease.leaseId());
    }

    private Reply saveIntent(Request request, UnitOfWork unit, UUID orgId, Intent intent, Lease lease) {
        var actor = request.principal();
        store.create(unit, orgId, request.projectId(), intent, lease.leaseId(), actor.id());
        AuditTrail.recordSuccess(
                unit,
                actor,
                new AuditEntry(
                        "apps.artifact." + intent.action() + "_intent",
                        "artifact_intent",
                        intent.id().toString(),
                        orgId,
                        request.projectId(),
                        intent.toAuditMetadata(lease)));
        return Reply.of(intent.toJson());
    }

    private Intent intent(
            String action,
            PlatformSource source,
            String repository,
            @Nullable UUID artifactId,
            @Nullable Long ttlSeconds) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        var expiresAt = now.plusSeconds(ttlSeconds == null ? DEFAULT_TTL_SECONDS : ttlSeconds);
        return new Intent(Ids.next(), action, source, repository, artifactId, now, expiresAt);
    }

    private static Future<Artifact> requireUsable(Artifact artifact) {
        var untrusted = ArtifactLifecycle.trustRefusal(artifact);
        if (untrusted != null) {
            return Future.failedFuture(Problem.of(ErrorCode.of(untrusted.code()), untrusted.message())
                    .asException());
        }
        return artifact.lifecycle() == Lifecycle.RETIRED
                ? Future.failedFuture(
                        Problem.of(ErrorCode.STATE_CONFLICT, "The artifact is retired. Use another artifact.")
                                .asException())
                : Future.succeededFuture(artifact);
    }

    private PlatformSource requireSourceNamed(String name) {
        return sources.stream()
                .filter(source -> source.name().equals(name))
                .findFirst()
                .orElseThrow(() -> Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR,
                                "/registry",
                                "is not a source of the platform; GET /api/v1/apps/registry lists them")
                        .asException());
    }

    private PlatformSource requireSourceAt(String host) {
        return sources.stream()
                .filter(source -> source.host().equals(host))
                .findFirst()
                .orElseThrow(() -> credentialsUnavailable(host));
    }

    private static ProblemException credentialsUnavailable(String host) {
        return Problem.of(
                        ErrorCode.CREDENTIALS_UNAVAILABLE,
                        "The platform issues no credentials for " + host + ". Use your own.")
                .asException();
    }
}
