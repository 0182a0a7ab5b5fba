package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.ArtifactJson.ArtifactResponse;
import dev.slipway.catalog.artifact.ArtifactJson.PromoteRequest;
import dev.slipway.catalog.artifact.ArtifactJson.ReasonRequest;
import dev.slipway.catalog.artifact.DigestUsageStore.DigestUsage;
import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.ArtifactDecision;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Accepted;
import dev.slipway.catalog.artifact.domain.ArtifactDecision.Refused;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.ArtifactLifecycle;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Function;

/** API operations on registered artifacts. */
public final class ArtifactApi {
    /** The event of a revocation lists at most this many of the instances that use the digest. */
    private static final int MAX_LISTED_INSTANCES = 500;

    private final ArtifactReadStore reads;
    private final ArtifactStore store;
    private final ArtifactTypeLookup types;
    private final VerificationRunner verifications;
    private final DigestUsageStore usage;
    private final ArtifactMetrics metrics;
    private final ReleaseGateLookup releaseGates;
    private final Mutations mutations;

    public ArtifactApi(
            ArtifactReadStore reads,
            ArtifactStore store,
            ArtifactTypeLookup types,
            VerificationRunner verifications,
            DigestUsageStore usage,
            ArtifactMetrics metrics,
            ReleaseGateLookup releaseGates,
            Mutations mutations) {
        this.reads = reads;
        this.store = store;
        this.types = types;
        this.verifications = verifications;
        this.usage = usage;
        this.metrics = metrics;
        this.releaseGates = releaseGates;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return reads.list(
                        request.orgId(),
                        request.projectId(),
                        ArtifactFilter.of(request),
                        request.cursor(),
                        request.limit())
                .map(page -> page.toReply(artifact -> Json.toObject(ArtifactResponse.of(artifact))));
    }

    public Future<Reply> get(Request request) {
        return findVisible(request).map(ArtifactApi::reply);
    }

    public Future<Reply> history(Request request) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        return findVisible(request)
                .compose(artifact -> reads.history(artifact, cursor, request.limit()))
                .map(page -> page.toReply(Json::toObject));
    }

    /** Reads the source before the transaction starts, and decides on the result within it. */
    public Future<Reply> verify(Request request) {
        return mutations.run(
                request,
                () -> reads.findOwn(request.projectId(), id(request)).compose(verifications::verify),
                (unit, verification) -> change(
                        request,
                        unit,
                        "apps.artifact.verify",
                        current ->
                                Future.succeededFuture(ArtifactLifecycle.verify(current, verification, unit.now()))));
    }

    public Future<Reply> promote(Request request) {
        var body = Json.toRecord(request.body(), PromoteRequest.class);
        var channel = TextEnum.parse(Channel.class, body.channel());
        return metrics.countOutcome(mutations.run(
                request,
                unit -> change(request, unit, "apps.artifact.promote", current -> types.find(
                                unit, current.artifactType())
                        .map(type -> ArtifactLifecycle.promote(current, type, channel, body.reason(), unit.now()))
                        .compose(decision -> requireReleaseGates(unit, channel, decision)))));
    }

    /** Production needs passed release gates, if the policy of the project says so. */
    private Future<ArtifactDecision> requireReleaseGates(UnitOfWork unit, Channel channel, ArtifactDecision decision) {
        return channel == Channel.PROD && decision instanceof Accepted accepted && accepted.event() != null
                ? releaseGates
                        .requirePassed(unit, accepted.next())
                        .map(verdictId -> new Accepted(accepted.next().withReleaseVerdict(verdictId), accepted.event()))
                : Future.succeededFuture(decision);
    }

    public Future<Reply> deprecate(Request request) {
        return changeWithReason(request, "apps.artifact.deprecate", ArtifactLifecycle::deprecate);
    }

    public Future<Reply> retire(Request request) {
        return changeWithReason(request, "apps.artifact.retire", ArtifactLifecycle::retire);
    }

    public Future<Reply> revoke(Request request) {
        return changeWithReason(request, "apps.artifact.revoke", ArtifactLifecycle::revoke);
    }

    /** A change that needs a reason and depends on nothing but the artifact. */
    private interface ReasonedChange {
        ArtifactDecision decide(Artifact current, String reason, Instant now);
    }

    private Future<Reply> changeWithReason(Request request, String action, ReasonedChange change) {
        var reason = Json.toRecord(request.body(), ReasonRequest.class).reason();
        return mutations.run(
                request,
                unit -> change(
                        request,
                        unit,
                        action,
                        current -> Future.succeededFuture(change.decide(current, reason, unit.now()))));
    }

    /** Locks the artifact, decides, and applies the decision. */
    private Future<Reply> change(
            Request request, UnitOfWork unit, String action, Function<Artifact, Future<ArtifactDecision>> decide) {
        return store.lock(unit, request.projectId(), id(request)).compose(current -> decide.apply(current)
                .compose(decision -> apply(request, unit, action, current, decision)));
    }

    private Future<Reply> apply(
            Request request, UnitOfWork unit, String action, Artifact current, ArtifactDecision decision) {
        if (decision instanceof Refused refused) {
            return Future.failedFuture(
                    Problem.of(ErrorCode.of(refused.code()), refused.message()).asException());
        }
        var accepted = (Accepted) decision;
        var actor = request.principal();
        var next = accepted.next();
        var event = accepted.event();
        if (event == null) {
            ArtifactPublisher.audit(unit, actor, action, next, null);
            return Future.succeededFuture(reply(next));
        }
        store.update(unit, actor, current.trust(), next, event);
        return findUsage(unit, next, event).map(found -> {
            ArtifactPublisher.appendEvents(unit, actor, next, event, found);
            ArtifactPublisher.audit(unit, actor, action, next, event);
            return reply(next);
        });
    }

    private Future<DigestUsage> findUsage(UnitOfWork unit, Artifact artifact, ArtifactEvent event) {
        return event instanceof ArtifactEvent.Revoked
                ? usage.findInstances(unit, artifact.digest().text(), MAX_LISTED_INSTANCES)
                : Future.succeededFuture(DigestUsage.NONE);
    }

    private Future<Artifact> findVisible(Request request) {
        return reads.find(request.orgId(), request.projectId(), id(request));
    }

    private static Reply reply(Artifact artifact) {
        return Reply.ofRecord(ArtifactResponse.of(artifact));
    }

    private static UUID id(Request request) {
        return request.pathId("artifact_id");
    }
}
