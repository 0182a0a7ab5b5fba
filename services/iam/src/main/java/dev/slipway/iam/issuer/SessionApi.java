package dev.slipway.iam.issuer;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.authz.TokenVerifier.ExternalIdentity;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.SingleLine;
import dev.slipway.iam.tenancy.domain.User;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.RevisionWaiter;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Clock;
import java.util.UUID;
import java.util.function.Supplier;

/** Creates the user of an external issuer when a token of theirs is received for the first time. */
public final class SessionApi {
    private static final int MAX_NAME_LENGTH = 120;

    private final Vertx vertx;
    private final IssuerKeyRefresher keys;
    private final TokenVerifier tokens;
    private final AuthzModel model;
    private final RevisionWaiter revisionWaiter;
    private final Supplier<Future<Long>> currentRevision;
    private final UserProvisioner users;
    private final Outbox outbox;
    private final Clock clock;

    /** Returns the user with this issuer and subject; creates one with the given id in a new revision if there is none. */
    @FunctionalInterface
    public interface UserProvisioner {
        Future<User> findOrCreate(UnitOfWork unit, UUID newId, String issuer, String subject, String displayName);
    }

    private record OpenSession(String token) {}

    private record SessionView(UUID principalId, String displayName, boolean created) {}

    private record AuditMetadata(String issuer) {}

    public SessionApi(
            Vertx vertx,
            IssuerKeyRefresher keys,
            ServiceContext serviceContext,
            Supplier<Future<Long>> currentRevision,
            UserProvisioner users,
            Outbox outbox) {
        this.vertx = vertx;
        this.keys = keys;
        this.tokens = serviceContext.tokens();
        this.model = serviceContext.authz();
        this.revisionWaiter = serviceContext.revisionWaiter();
        this.currentRevision = currentRevision;
        this.users = users;
        this.outbox = outbox;
        this.clock = serviceContext.clock();
    }

    public Future<Reply> open(Request request) {
        var token = Json.toRecord(request.body(), OpenSession.class).token;
        return verifyIdentity(token).compose(identity -> {
            if (!keys.isTrusted(identity.issuer())) {
                throw Problem.of(
                                ErrorCode.TOKEN_INVALID,
                                "Users of the token's issuer are not accepted. Add it to SLIPWAY_OIDC_ISSUERS.")
                        .asException();
            }
            var known = model.findPrincipal(identity.issuer(), identity.subject());
            return known != null
                    ? Future.succeededFuture(reply(known.id(), known.displayName(), false))
                    : provision(request, identity);
        });
    }

    /** Verifies a token. If its key is unknown, the issuer's keys are fetched first: it may have just begun to use the key. */
    private Future<ExternalIdentity> verifyIdentity(String token) {
        try {
            return Future.succeededFuture(tokens.verifyIdentity(token, clock.instant()));
        } catch (ProblemException refused) {
            var unknown = tokens.findUnknownKey(token);
            if (unknown == null || !keys.isTrusted(unknown.issuer())) {
                throw refused;
            }
            return keys.refresh(unknown.issuer())
                    .otherwiseEmpty()
                    .compose(ok -> currentRevision.get())
                    .compose(published -> revisionWaiter.await(vertx, published))
                    .map(ok -> tokens.verifyIdentity(token, clock.instant()));
        }
    }

    private Future<Reply> provision(Request request, ExternalIdentity identity) {
        var newId = Ids.next();
        return outbox.transaction(request.changeContext(), unit -> users.findOrCreate(
                        unit, newId, identity.issuer(), identity.subject(), displayName(identity))
                .map(user -> {
                    var created = user.id().equals(newId);
                    if (created) {
                        var metadata = Json.toObject(new AuditMetadata(identity.issuer()));
                        var entry =
                                new AuditEntry("iam.user.provision", "user", newId.toString(), null, null, metadata);
                        AuditTrail.recordSystemAction(
                                unit, "user", user.displayName(), newId, entry, AuditResult.SUCCESS, null);
                    }
                    return reply(user.id(), user.displayName(), created);
                }));
    }

    /** Returns the name that the issuer gives the user as a single line, shortened to what can be stored; without one, the subject. */
    private static String displayName(ExternalIdentity identity) {
        var given = identity.displayName() == null ? "" : SingleLine.sanitize(identity.displayName());
        var name = given.isBlank() ? SingleLine.sanitize(identity.subject()) : given;
        return name.codePointCount(0, name.length()) <= MAX_NAME_LENGTH
                ? name
                : name.substring(0, name.offsetByCodePoints(0, MAX_NAME_LENGTH));
    }

    private static Reply reply(UUID id, String displayName, boolean created) {
        return Reply.ofRecord(new SessionView(id, displayName, created));
    }
}
