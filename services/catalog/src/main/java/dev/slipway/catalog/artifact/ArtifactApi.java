package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.ArtifactEvent;
import dev.slipway.catalog.artifact.domain.ArtifactLifecycle;
import dev.slipway.catalog.artifact.domain.Decision;
import dev.slipway.catalog.artifact.domain.Decision.Accepted;
import dev.slipway.catalog.artifact.domain.Verification;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;

/** The operations on artifacts that are registered. */
public final class ArtifactApi {
    /** How many of those who run a revoked digest its event names. */
    private static final int MAX_USERS = 500;

    private final ArtifactReadStore reads;
    private final ArtifactStore store;
    private final ArtifactTypes types;
    private final Verifications verifications;
    private final DigestUserStore users;
    private final ArtifactMetrics metrics;
    private final Mutations mutations;

    public ArtifactApi(
            ArtifactReadStore reads,
            ArtifactStore store,
            ArtifactTypes types,
            Verifications verifications,
            DigestUserStore users,
            ArtifactMetrics metrics,
            Mutations mutations) {
        this.reads = reads;
        this.store = store;
        this.types = types;
        this.verifications = verifications;
        this.users = users;
        this.metrics = metrics;
        this.mutations = mutations;
    }

    public Future<Reply> list(Request request) {
        return reads.list(
                        request.orgId(),
                        request.projectId(),
                        ArtifactFilter.of(request),
                        request.cursor(),
                        request.limit())
                .map(page -> page.reply(ArtifactJson::full));
    }

    public Future<Reply> get(Request request) {
        return visible(request).map(found -> Reply.of(ArtifactJson.full(found)));
    }

    public Future<Reply> history(Request request) {
        var after = request.cursor();
        return visible(request)
                .compose(found -> reads.history(found, after, request.limit()))
                .map(page -> page.reply(entry -> entry));
    }

    /** The source is read before the transaction begins; what it said is decided upon in it. */
    public Future<Reply> verify(Request request) {
        return mutations.run(
                request,
                () -> reads.findOwn(request.projectId(), id(request)).compose(found -> verifications.of(found)),
                (unit, found) -> changed(
                        request,
                        unit,
                        "apps.artifact.verify",
                        current -> Future.succeededFuture(judged(current, found, unit))));
    }

    public Future<Reply> promote(Request request) {
        var channel = Channel.valueOf(request.body().path("channel").asText().toUpperCase(Locale.ROOT));
        var reason = request.body().path("reason").textValue();
        return metrics.promotion(mutations.run(
                request,
                unit -> changed(
                        request, unit, "apps.artifact.promote", current -> types.find(unit, current.artifactType())
                                .map(type -> ArtifactLifecycle.promote(current, type, channel, reason, unit.now())))));
    }

    public Future<Reply> deprecate(Request request) {
        return end(request, "apps.artifact.deprecate", ArtifactLifecycle::deprecate);
    }

    public Future<Reply> retire(Request request) {
        return end(request, "apps.artifact.retire", ArtifactLifecycle::retire);
    }

    public Future<Reply> revoke(Request request) {
        return end(request, "apps.artifact.revoke", ArtifactLifecycle::revoke);
    }

    /** One of the ways in which an artifact goes out of use: each has a reason, and needs nothing but the artifact to be decided. */
    private interface Ending {
        Decision decide(Artifact current, String reason, Instant now);
    }

    private Future<Reply> end(Request request, String action, Ending ending) {
        return mutations.run(
                request,
                unit -> changed(
                        request,
                        unit,
                        action,
                        current -> Future.succeededFuture(ending.decide(current, reason(request), unit.now()))));
    }

    private static Decision judged(Artifact current, Verification found, UnitOfWork unit) {
        return ArtifactLifecycle.verify(current, found, unit.now());
    }

    private Future<Reply> changed(
            Request request, UnitOfWork unit, String action, Function<Artifact, Future<Decision>> decide) {
        var actor = request.principal();
        return store.change(unit, actor, request.projectId(), id(request), decide)
                .compose(done -> announced(request, unit, done).map(ok -> {
                    ArtifactRecords.audit(unit, actor, action, done.next(), done.event());
                    return Reply.of(ArtifactJson.full(done.next()));
                }));
    }

    private Future<Void> announced(Request request, UnitOfWork unit, Accepted done) {
        var event = done.event();
        var artifact = done.next();
        if (event instanceof ArtifactEvent.Revoked) {
            return users.of(unit, artifact.digest().text(), MAX_USERS).map(found -> {
                ArtifactRecords.announce(unit, request.principal(), artifact, event, found);
                return null;
            });
        }
        if (event != null) {
            ArtifactRecords.announce(unit, request.principal(), artifact, event);
        }
        return Future.succeededFuture();
    }

    private Future<Artifact> visible(Request request) {
        return reads.find(request.orgId(), request.projectId(), id(request));
    }

    private static UUID id(Request request) {
        return request.pathId("artifact_id");
    }

    private static String reason(Request request) {
        return request.body().path("reason").asText();
    }
}
