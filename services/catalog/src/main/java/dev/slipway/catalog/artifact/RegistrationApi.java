package dev.slipway.catalog.artifact;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.ResourceScope;
import dev.slipway.catalog.artifact.ArtifactJson.AlreadyRegistered;
import dev.slipway.catalog.artifact.ArtifactJson.ArtifactResponse;
import dev.slipway.catalog.artifact.ArtifactJson.RegisterRequest;
import dev.slipway.catalog.artifact.ArtifactJson.SourceFields;
import dev.slipway.catalog.artifact.DigestUsageStore.DigestUsage;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.source.ArtifactSource.FoundArtifact;
import dev.slipway.catalog.artifact.source.ArtifactSources;
import dev.slipway.catalog.artifact.source.SourceException;
import dev.slipway.catalog.artifact.source.SourceLocation;
import dev.slipway.catalog.artifact.source.domain.Digest;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.ResourceName;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.List;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/** Registers artifacts. The artifact must exist in its source, from which its digest is computed again. */
public final class RegistrationApi {
    /** A caller that may publish versions to all tenants may also share artifacts with them. */
    private static final String PLATFORM_VISIBILITY_ACTION = "apps.version.publish";

    private final List<PlatformSource> platformSources;
    private final ArtifactStore store;
    private final ArtifactTypeLookup types;
    private final SourcePolicy policy;
    private final ArtifactSources sources;
    private final Mutations mutations;
    private final Authorizer authorizer;
    private final String region;
    private final Clock clock;

    public RegistrationApi(
            List<PlatformSource> platformSources,
            ArtifactStore store,
            ArtifactTypeLookup types,
            SourcePolicy policy,
            ArtifactSources sources,
            Mutations mutations,
            Authorizer authorizer,
            String region,
            Clock clock) {
        this.platformSources = List.copyOf(platformSources);
        this.store = store;
        this.types = types;
        this.policy = policy;
        this.sources = sources;
        this.mutations = mutations;
        this.authorizer = authorizer;
        this.region = region;
        this.clock = clock;
    }

    /** A request with its validated parts. */
    private record Registration(
            RegisterRequest request, SourceLocation location, Kind kind, Digest digest, Visibility visibility) {}

    public Future<Reply> register(Request request) {
        var body = Json.toRecord(request.body(), RegisterRequest.class);
        var location = location(body.source());
        requireOwnRepository(request, location);
        var registration = new Registration(
                body, location, kind(body, location), new Digest(body.digest()), visibility(request, body));
        return mutations.run(request, () -> resolveInSource(request, registration), (unit, found) -> store.lockProject(
                        unit, request.projectId())
                .compose(orgId -> types.find(unit, body.artifactType())
                        .compose(type -> register(request, unit, orgId, type, registration, found))));
    }

    /** Reads the artifact from its source, if policy allows the source. */
    private Future<FoundArtifact> resolveInSource(Request request, Registration registration) {
        var location = registration.location;
        return policy.find(requireNonNull(request.orgId()), request.projectId(), registration.request.appSlug())
                .compose(allowed -> allowed.allows().test(location.authority())
                        ? sources.withSource(
                                location,
                                source -> source.find(location, registration.digest, registration.kind == Kind.BLOB))
                        : Future.failedFuture(allowed.notAllowed(location.authority())))
                .recover(e -> Future.failedFuture(
                        e instanceof SourceException source ? VerificationRunner.toProblem(source) : e));
    }

    private Future<Reply> register(
            Request request,
            UnitOfWork unit,
            UUID orgId,
            @Nullable ArtifactType type,
            Registration registration,
            FoundArtifact found) {
        var expectedSize = registration.request.source().sizeBytes();
        if (type == null) {
            return Future.failedFuture(Problem.validationOf(
                            ErrorCode.ARTIFACT_TYPE_INACTIVE, "/artifact_type", "is not an active artifact type")
                    .asException());
        }
        if (expectedSize != null && expectedSize != found.sizeBytes()) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.DIGEST_MISMATCH,
                            "The artifact has " + found.sizeBytes() + " bytes in its source, not " + expectedSize + ".")
                    .asException());
        }
        var artifact = artifact(request, unit, orgId, type, registration, found);
        return requireNew(unit, artifact).map(ok -> {
            var actor = request.principal();
            var event = new ArtifactEvent.Registered();
            store.insert(unit, actor, artifact, type.deployable());
            ArtifactPublisher.appendEvents(unit, actor, artifact, event, DigestUsage.NONE);
            ArtifactPublisher.audit(unit, actor, "apps.artifact.publish", artifact, event);
            return Reply.ofRecord(
                    ArtifactResponse.of(artifact),
                    "/api/v1/projects/" + artifact.projectId() + "/app-artifacts/" + artifact.id());
        });
    }

    private Artifact artifact(
            Request request,
            UnitOfWork unit,
            UUID orgId,
            ArtifactType type,
            Registration registration,
            FoundArtifact found) {
        var id = Ids.next();
        var actor = request.principal();
        var body = registration.request;
        return new Artifact(
                id,
                new ResourceName(region, orgId, request.projectId(), "artifact", id).toString(),
                orgId,
                request.projectId(),
                body.appSlug(),
                type.id(),
                type.version(),
                registration.kind,
                body.source().toSource(),
                registration.location.repository(),
                body.tag(),
                found.digest(),
                found.mediaType(),
                found.sizeBytes(),
                registration.visibility,
                Lifecycle.PUBLISHED,
                Trust.UNVERIFIED,
                null,
                null,
                null,
                actor.id(),
                actor.responsibleUserId(),
                1,
                unit.now(),
                unit.now(),
                null);
    }

    /** Fails if the project has the artifact, or if its digest is revoked. */
    private Future<Void> requireNew(UnitOfWork unit, Artifact artifact) {
        var digest = artifact.digest().text();
        return store.findSame(unit, artifact.projectId(), artifact.repository(), artifact.digest())
                .compose(existing -> existing == null
                        ? store.findTrust(unit, List.of(digest))
                        : Future.failedFuture(alreadyRegistered(existing)))
                .compose(trust -> Trust.REVOKED.text().equals(trust.get(digest))
                        ? Future.failedFuture(Problem.of(
                                        ErrorCode.ARTIFACT_REVOKED,
                                        "This digest is revoked. Register another artifact.")
                                .asException())
                        : Future.succeededFuture());
    }

    private Visibility visibility(Request request, RegisterRequest body) {
        var given = body.visibility();
        var visibility = given == null ? Visibility.PROJECT : TextEnum.parse(Visibility.class, given);
        if (visibility == Visibility.PLATFORM
                && !authorizer
                        .decide(
                                request.principal(),
                                PLATFORM_VISIBILITY_ACTION,
                                ResourceScope.platform(),
                                clock.instant())
                        .allowed()) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "Registering an artifact for the whole platform requires " + PLATFORM_VISIBILITY_ACTION
                                    + " on the platform.")
                    .asException();
        }
        return visibility;
    }

    /** Prevents access to another project's artifacts by their digest: the platform could read that repository. */
    private void requireOwnRepository(Request request, SourceLocation location) {
        for (var source : platformSources) {
            if (source.host().equals(location.authority())
                    && source.belongsToOtherProject(request.projectId(), location.path())) {
                throw Problem.of(
                                ErrorCode.REPOSITORY_NOT_ALLOWED,
                                "This repository belongs to another project. Register the artifact in that project.")
                        .asException();
            }
        }
    }

    private static SourceLocation location(SourceFields source) {
        try {
            return SourceLocation.parse(source.sourceType(), source.uri());
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/source/uri", String.valueOf(e.getMessage()))
                    .asException();
        }
    }

    private static Kind kind(RegisterRequest body, SourceLocation location) {
        var kind = TextEnum.parse(Kind.class, body.artifactKind());
        if (kind == Kind.OCI && !location.type().equals("oci")) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "/artifact_kind", "is oci, but the source is not a registry")
                    .asException();
        }
        return kind;
    }

    private static ProblemException alreadyRegistered(UUID id) {
        return new Problem(
                        ErrorCode.ARTIFACT_EXISTS,
                        "This digest is already registered from this repository as artifact " + id + ".",
                        Json.toObject(new AlreadyRegistered(id)))
                .asException();
    }
}
