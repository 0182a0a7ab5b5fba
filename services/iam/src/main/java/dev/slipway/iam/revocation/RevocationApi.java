package dev.slipway.iam.revocation;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/** The operations that end tokens before their time. */
public final class RevocationApi {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationApi.class);

    private final RevocationStore store;
    private final Mutations mutations;
    private final TokenVerifier tokens;
    private final Clock clock;

    public RevocationApi(RevocationStore store, Mutations mutations, TokenVerifier tokens, Clock clock) {
        this.store = store;
        this.mutations = mutations;
        this.tokens = tokens;
        this.clock = clock;
    }

    /** What has ended by itself is dropped from time to time: twice while a token lives, at which nothing that ends piles up. */
    public void keepHouse(Vertx vertx, Duration tokenLifetime) {
        vertx.setPeriodic(Math.max(1, tokenLifetime.toMillis() / 2), timer -> store.forgetEnded()
                .onFailure(e -> LOG.atWarn().setCause(e).log("ended tokens were not dropped; it comes round again")));
    }

    public Future<Reply> revokeOwn(Request request) {
        var named = request.body().path("jti");
        if (named.isTextual()) {
            var jti = UUID.fromString(named.asText());
            return mutations.run(request, unit -> store.endOfPrincipals(
                            unit, jti, request.principal().id())
                    .compose(end -> revoke(request, unit, jti, end, null, null)));
        }
        var own = tokens.subject(Objects.requireNonNull(request.call().token()), clock.instant());
        return mutations.run(request, unit -> revoke(request, unit, own.id(), own.expiresAt(), null, null));
    }

    public Future<Reply> revokeOfProject(Request request) {
        var jti = request.pathId("jti");
        var projectId = request.projectId();
        return mutations.run(request, unit -> store.endOfProjects(unit, jti, projectId)
                .compose(end -> revoke(request, unit, jti, end, request.orgId(), projectId)));
    }

    public Future<Reply> revokeOfOrganization(Request request) {
        var jti = request.pathId("jti");
        var orgId = request.pathId("org_id");
        return mutations.run(request, unit -> store.endOfOrganizations(unit, jti, orgId)
                .compose(end -> revoke(request, unit, jti, end, orgId, null)));
    }

    private Future<Reply> revoke(
            Request request,
            UnitOfWork unit,
            UUID id,
            @Nullable Instant end,
            @Nullable UUID orgId,
            @Nullable UUID projectId) {
        if (end == null) {
            return Future.failedFuture(Problem.of(
                            ErrorCode.NOT_FOUND,
                            "There is no such token that is still good, or it is not yours to revoke.")
                    .asException());
        }
        return store.revoke(unit, "token", id, end).map(ok -> {
            var entry = new Entry("iam.token.revoke", "token", id.toString(), orgId, projectId, Json.object());
            AuditTrail.success(unit, request.principal(), entry);
            return Reply.of(Json.object().put("id", id.toString()).put("expires_at", end.toString()));
        });
    }
}
