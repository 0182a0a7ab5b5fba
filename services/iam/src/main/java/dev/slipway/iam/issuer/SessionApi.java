package dev.slipway.iam.issuer;

import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.authz.TokenVerifier.Subject;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Frame;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.Revisions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

import java.time.Clock;
import java.util.UUID;

/** How a user of a trusted issuer becomes known here: by showing a token of theirs, once. */
public final class SessionApi {
    private static final int MAX_NAME = 120;

    private final Vertx vertx;
    private final IssuerKeys keys;
    private final TokenVerifier tokens;
    private final AuthzModel model;
    private final Revisions arrivals;
    private final RevisionStore revisions;
    private final Outbox outbox;
    private final Clock clock;

    public SessionApi(Vertx vertx, IssuerKeys keys, Frame frame, RevisionStore revisions, Outbox outbox) {
        this.vertx = vertx;
        this.keys = keys;
        this.tokens = frame.tokens();
        this.model = frame.authz();
        this.arrivals = frame.revisions();
        this.revisions = revisions;
        this.outbox = outbox;
        this.clock = frame.clock();
    }

    public Future<Reply> open(Request request) {
        var token = request.body().path("token").asText();
        return subject(token).compose(subject -> {
            if (!keys.isTrusted(subject.issuer())) {
                throw Problem.of(
                                ErrorCode.TOKEN_INVALID,
                                "The token's issuer is none that users come from; SLIPWAY_OIDC_ISSUERS names those.")
                        .asException();
            }
            var known = model.principalOf(subject.issuer(), subject.subject());
            return known != null
                    ? Future.succeededFuture(told(known.id(), known.displayName(), false))
                    : provision(request, subject);
        });
    }

    /** A token whose key is not known yet may be by a key that its issuer has just begun to use. */
    private Future<Subject> subject(String token) {
        try {
            return Future.succeededFuture(tokens.subject(token, clock.instant()));
        } catch (ProblemException refused) {
            var unknown = tokens.unknownKey(token);
            if (unknown == null || !keys.isTrusted(unknown.issuer())) {
                throw refused;
            }
            return keys.refresh(unknown.issuer())
                    .otherwiseEmpty()
                    .compose(ok -> revisions.current())
                    .compose(published -> arrivals.await(vertx, published))
                    .map(ok -> tokens.subject(token, clock.instant()));
        }
    }

    private Future<Reply> provision(Request request, Subject subject) {
        var made = Ids.next();
        return outbox.transaction(request.cause(), unit -> AuthzRecords.raised(
                        unit,
                        records -> UserStore.ensureUser(
                                unit, records, made, subject.issuer(), subject.subject(), name(subject)))
                .map(user -> {
                    var created = user.id().equals(made);
                    if (created) {
                        var metadata = Json.object().put("issuer", subject.issuer());
                        var entry = new Entry("iam.user.provision", "user", made.toString(), null, null, metadata);
                        AuditTrail.byOther(unit, "user", user.displayName(), made, entry, "success", null);
                    }
                    return told(user.id(), user.displayName(), created);
                }));
    }

    /** What the issuer calls the user, as far as it can be shown and kept. */
    private static String name(Subject subject) {
        var given = subject.displayName() == null || subject.displayName().isBlank()
                ? subject.subject()
                : subject.displayName();
        return given.codePoints()
                .filter(c -> !Character.isISOControl(c) && Character.getType(c) != Character.SURROGATE)
                .limit(MAX_NAME)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static Reply told(UUID id, String displayName, boolean created) {
        return Reply.of(Json.object()
                .put("principal_id", id.toString())
                .put("display_name", displayName)
                .put("created", created));
    }
}
