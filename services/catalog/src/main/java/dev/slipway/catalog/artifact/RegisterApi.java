package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Target;
import dev.slipway.catalog.artifact.ArtifactStore.Registration;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Kind;
import dev.slipway.catalog.artifact.domain.Artifact.Lifecycle;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import dev.slipway.catalog.artifact.domain.Artifact.Visibility;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.source.ArtifactSource.Found;
import dev.slipway.catalog.source.ArtifactSources;
import dev.slipway.catalog.source.Location;
import dev.slipway.catalog.source.SourceException;
import dev.slipway.catalog.source.domain.Digest;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ResourceName;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import static java.util.Objects.requireNonNull;

/** Registering an artifact: its bytes are in their source already, and its digest is taken there once more. */
public final class RegisterApi {
    /** Who may put a version before everybody may put an artifact before everybody. */
    private static final String FOR_EVERYBODY = "apps.version.publish";

    private final List<PlatformSource> shared;
    private final ArtifactStore store;
    private final ArtifactTypes types;
    private final SourcePolicy policy;
    private final ArtifactSources sources;
    private final Mutations mutations;
    private final Authorizer authorizer;
    private final String region;
    private final Clock clock;

    public RegisterApi(
            List<PlatformSource> shared,
            ArtifactStore store,
            ArtifactTypes types,
            SourcePolicy policy,
            ArtifactSources sources,
            Mutations mutations,
            Authorizer authorizer,
            String region,
            Clock clock) {
        this.shared = List.copyOf(shared);
        this.store = store;
        this.types = types;
        this.policy = policy;
        this.sources = sources;
        this.mutations = mutations;
        this.authorizer = authorizer;
        this.region = region;
        this.clock = clock;
    }

    /** What is asked for, read and found to make sense. */
    private record Asked(Location at, Kind kind, Digest digest, Artifact.Source source, Visibility visibility) {}

    public Future<Reply> register(Request request) {
        var body = request.body();
        var at = location(body.path("source"));
        var digest = new Digest(body.path("digest").asText());
        requireNotAnothers(request, at);
        var asked = new Asked(at, kind(body, at), digest, source(body.path("source")), visibility(request));
        return mutations.run(request, () -> looked(request, asked), (unit, found) -> store.lockProject(
                        unit, request.projectId())
                .compose(orgId -> types.find(unit, body.path("artifact_type").asText())
                        .compose(type -> registered(request, unit, orgId, type, asked, found))));
    }

    /** What the source has, if it is one that may be asked. */
    private Future<Found> looked(Request request, Asked asked) {
        var at = asked.at;
        return policy.of(
                        requireNonNull(request.orgId()),
                        request.projectId(),
                        request.body().path("app_slug").textValue())
                .compose(allowed -> allowed.allows().test(at.authority())
                        ? sources.at(at, source -> source.find(at, asked.digest, asked.kind == Kind.BLOB))
                        : Future.failedFuture(allowed.refused(at.authority())))
                .recover(e ->
                        Future.failedFuture(e instanceof SourceException source ? Verifications.problem(source) : e));
    }

    private Future<Reply> registered(
            Request request, UnitOfWork unit, UUID orgId, @Nullable ArtifactType type, Asked asked, Found found) {
        var body = request.body();
        var source = asked.source;
        if (type == null) {
            return Future.failedFuture(Problem.validationOf(
                            ErrorCode.ARTIFACT_TYPE_INACTIVE, "/artifact_type", "is not an active artifact type")
                    .asException());
        }
        if (source.sizeBytes() != null && source.sizeBytes() != found.sizeBytes()) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.DIGEST_MISMATCH,
                            "The source has " + found.sizeBytes() + " bytes there, not " + source.sizeBytes() + ".")
                    .asException());
        }
        var id = Ids.next();
        var actor = request.principal();
        var artifact = new Artifact(
                id,
                new ResourceName(region, orgId, request.projectId(), "artifact", id).toString(),
                orgId,
                request.projectId(),
                body.path("app_slug").textValue(),
                type.id(),
                type.version(),
                asked.kind,
                source,
                asked.at.repository(),
                body.path("tag").textValue(),
                found.digest(),
                found.mediaType(),
                found.sizeBytes(),
                asked.visibility,
                Lifecycle.PUBLISHED,
                Trust.UNVERIFIED,
                null,
                null,
                null,
                actor.id(),
                actor.responsibleUserId(),
                1,
                unit.now(),
                unit.now());
        return store.create(unit, actor, new Registration(artifact, type.deployable()))
                .map(created -> {
                    var event = new ArtifactEvent.Registered();
                    ArtifactRecords.announce(unit, actor, created, event);
                    ArtifactRecords.audit(unit, actor, "apps.artifact.publish", created, event);
                    return Reply.of(
                            ArtifactJson.full(created),
                            "/api/v1/projects/" + created.projectId() + "/app-artifacts/" + created.id());
                });
    }

    /** Whoever registers for everybody must be somebody who may. */
    private Visibility visibility(Request request) {
        var given = request.body().path("visibility").asText("project");
        var visibility = Visibility.valueOf(given.toUpperCase(Locale.ROOT));
        if (visibility == Visibility.PLATFORM
                && !authorizer
                        .decide(request.principal(), FOR_EVERYBODY, Target.platform(), clock.instant())
                        .allowed()) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "An artifact for the whole platform is registered by who may publish versions.")
                    .asException();
        }
        return visibility;
    }

    /** Another project's artifacts are seen where it shares them, not by whoever knows a digest. */
    private void requireNotAnothers(Request request, Location at) {
        for (var source : shared) {
            if (source.host().equals(at.authority()) && source.isOfAnother(request.projectId(), at.path())) {
                throw Problem.of(
                                ErrorCode.REPOSITORY_NOT_ALLOWED,
                                "This repository is another project's. An artifact is registered by its own project.")
                        .asException();
            }
        }
    }

    private static Location location(JsonNode source) {
        try {
            return Location.parse(
                    source.path("source_type").asText(), source.path("uri").asText());
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/source/uri", String.valueOf(e.getMessage()))
                    .asException();
        }
    }

    private static Kind kind(JsonNode body, Location at) {
        var kind = Kind.valueOf(body.path("artifact_kind").asText().toUpperCase(Locale.ROOT));
        if (kind == Kind.OCI && !at.type().equals("oci")) {
            throw Problem.validationOf(
                            ErrorCode.VALIDATION_ERROR, "/artifact_kind", "is oci, and the source is not a registry")
                    .asException();
        }
        return kind;
    }

    private static Artifact.Source source(JsonNode source) {
        var size = source.path("size_bytes");
        return new Artifact.Source(
                source.path("source_type").asText(),
                source.path("uri").asText(),
                source.path("source_ref").textValue(),
                size.isIntegralNumber() ? size.asLong() : null,
                source.path("content_encoding").textValue());
    }
}
