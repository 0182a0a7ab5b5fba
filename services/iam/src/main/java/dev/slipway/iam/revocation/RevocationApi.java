package dev.slipway.iam.revocation;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.revocation.domain.Revocation;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
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
import java.util.function.Function;

/** The API operations that revoke tokens. */
public final class RevocationApi {
    private static final Logger LOG = LoggerFactory.getLogger(RevocationApi.class);
    /** Added to the lifetime of tokens, for exchanges that are in progress. */
    private static final Duration CREDENTIAL_MARGIN = Duration.ofSeconds(60);

    private final RevocationStore store;
    private final Mutations mutations;
    private final Function<UnitOfWork, Future<Revision>> beginRevision;
    private final TokenVerifier tokens;
    private final Duration tokenLifetime;
    private final Clock clock;

    private record RevokeOwnToken(@Nullable UUID jti) {}

    private record RevocationView(UUID id, Instant expiresAt) {}

    public RevocationApi(
            RevocationStore store,
            Mutations mutations,
            Function<UnitOfWork, Future<Revision>> beginRevision,
            TokenVerifier tokens,
            Duration tokenLifetime,
            Clock clock) {
        this.store = store;
        this.mutations = mutations;
        this.beginRevision = beginRevision;
        this.tokens = tokens;
        this.tokenLifetime = tokenLifetime;
        this.clock = clock;
    }

    /** Deletes expired tokens and revocations twice per token lifetime, so that they do not accumulate. */
    public void scheduleCleanup(Vertx vertx) {
        vertx.setPeriodic(Math.max(1, tokenLifetime.toMillis() / 2), timer -> store.deleteExpired()
                .onFailure(e -> LOG.atWarn().setCause(e).log("expired tokens not deleted; retrying later")));
    }

    public Future<Reply> revokeOwn(Request request) {
        var named = request.body().isMissingNode()
                ? null
                : Json.toRecord(request.body(), RevokeOwnToken.class).jti();
        if (named != null) {
            return mutations.run(request, unit -> RevocationStore.findExpiryByPrincipal(
                            unit, named, request.principal().id())
                    .compose(expiresAt -> revoke(request, unit, named, expiresAt, null, null)));
        }
        var own = tokens.verifyIdentity(Objects.requireNonNull(request.call().token()), clock.instant());
        return mutations.run(request, unit -> revoke(request, unit, own.id(), own.expiresAt(), null, null));
    }

    public Future<Reply> revokeInProject(Request request) {
        var jti = request.pathId("jti");
        var projectId = request.projectId();
        return mutations.run(request, unit -> RevocationStore.findExpiryInProject(unit, jti, projectId)
                .compose(expiresAt -> revoke(request, unit, jti, expiresAt, request.orgId(), projectId)));
    }

    public Future<Reply> revokeInOrganization(Request request) {
        var jti = request.pathId("jti");
        var orgId = request.pathId("org_id");
        return mutations.run(request, unit -> RevocationStore.findExpiryInOrganization(unit, jti, orgId)
                .compose(expiresAt -> revoke(request, unit, jti, expiresAt, orgId, null)));
    }

    /** Revokes all tokens that were issued for a credential, also those of exchanges in progress. */
    public Future<Void> revokeTokensOfCredential(UnitOfWork unit, UUID credentialId) {
        var expiresAt = unit.now().plus(tokenLifetime).plus(CREDENTIAL_MARGIN);
        return beginRevision.apply(unit).map(revision -> {
            RevocationStore.insert(unit, revision, new Revocation(Revocation.Kind.CREDENTIAL, credentialId, expiresAt));
            return null;
        });
    }

    private Future<Reply> revoke(
            Request request,
            UnitOfWork unit,
            UUID id,
            @Nullable Instant expiresAt,
            @Nullable UUID orgId,
            @Nullable UUID projectId) {
        if (expiresAt == null) {
            return Future.failedFuture(
                    Problem.of(ErrorCode.NOT_FOUND, "The token was not found, has expired, or is not yours to revoke.")
                            .asException());
        }
        return beginRevision.apply(unit).map(revision -> {
            RevocationStore.insert(unit, revision, new Revocation(Revocation.Kind.TOKEN, id, expiresAt));
            var entry = new AuditEntry("iam.token.revoke", "token", id.toString(), orgId, projectId, Json.object());
            AuditTrail.recordSuccess(unit, request.principal(), entry);
            return Reply.ofRecord(new RevocationView(id, expiresAt));
        });
    }
}
