package dev.slipway.iam.apikey;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Target;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.Credentials;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The operations of a person on their own API keys. */
public final class ApiKeyApi {
    private static final Duration LONGEST = Duration.ofDays(366);

    private final ApiKeyStore store;
    private final Mutations mutations;
    private final Outbox outbox;
    private final Authorizer authorizer;
    private final Clock clock;

    public ApiKeyApi(ApiKeyStore store, Mutations mutations, Outbox outbox, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.mutations = mutations;
        this.outbox = outbox;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    public Future<Reply> create(Request request) {
        return Future.succeededFuture(request)
                .compose(this::made)
                .recover(e -> AuditTrail.refuseExcess(outbox, request, "iam.api_key.create", e));
    }

    public Future<Reply> list(Request request) {
        return store.list(person(request).id()).map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            all.forEach(key -> items.add(key.json()));
            return Reply.of(body);
        });
    }

    public Future<Reply> revoke(Request request) {
        var id = request.pathId("api_key_id");
        return mutations.run(
                request, unit -> store.revoke(unit, person(request).id(), id).map(revoked -> {
                    audit(request, unit, id, "revoke");
                    return Reply.of(revoked.json());
                }));
    }

    private Future<Reply> made(Request request) {
        var caller = person(request);
        var actions = new ArrayList<String>();
        request.body().path("actions").forEach(action -> actions.add(action.asText()));
        requireHeld(caller, actions);
        var secret = Secrets.next();
        var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        var key = new ApiKey(
                Ids.next(), request.body().path("name").asText(), actions, now, withinAYear(request, now), null, null);
        return mutations
                .run(request, unit -> store.create(unit, caller.id(), key, secret)
                        .map(ok -> {
                            audit(request, unit, key.id(), "create");
                            return Reply.of(key.json());
                        }))
                .map(reply -> Credentials.withSecret(reply, "api_key_id", key.id(), secret));
    }

    /** A key is never worth more than what made it: neither its owner, nor the token that asked for it. */
    private void requireHeld(Principal caller, List<String> actions) {
        for (var action : actions) {
            if (!authorizer
                    .decide(caller, action, Target.anywhere(), clock.instant())
                    .allowed()) {
                throw Problem.of(
                                ErrorCode.GRANT_EXCEEDS_OWN,
                                "You do not hold " + action + " anywhere, so a key of yours cannot have it.")
                        .asException();
            }
        }
    }

    private static Instant withinAYear(Request request, Instant now) {
        var expiresAt = Objects.requireNonNull(Credentials.future(request, now));
        if (expiresAt.isAfter(now.plus(LONGEST))) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/expires_at", "is more than a year ahead")
                    .asException();
        }
        return expiresAt;
    }

    private static Principal person(Request request) {
        if (request.principal().type() != ActorType.USER) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "API keys are for people. A service account has credentials of its own.")
                    .asException();
        }
        return request.principal();
    }

    private static void audit(Request request, UnitOfWork unit, UUID id, String verb) {
        var entry = new Entry("iam.api_key." + verb, "api_key", id.toString(), null, null, Json.object());
        AuditTrail.success(unit, request.principal(), entry);
    }
}
