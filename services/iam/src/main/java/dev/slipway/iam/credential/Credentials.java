package dev.slipway.iam.credential;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The operations on credentials, the same for every kind of owner; each kind says which owner is meant, and whether it is there. */
public final class Credentials {
    private final CredentialStore store;
    private final Mutations mutations;
    private final Clock clock;

    public Credentials(CredentialStore store, Mutations mutations, Clock clock) {
        this.store = store;
        this.mutations = mutations;
        this.clock = clock;
    }

    /** Makes a credential for the owner that {@code lock} finds in the caller's scope and locks. */
    public Future<Reply> create(Request request, Function<UnitOfWork, Future<Owner>> lock) {
        var expiresAt = future(request, clock.instant());
        var id = Ids.next();
        var secret = Secrets.next();
        return mutations
                .run(request, unit -> lock.apply(unit).compose(owner -> store.create(unit, owner, id, secret, expiresAt)
                        .map(created -> {
                            audit(request, unit, owner, id, "create");
                            return Reply.of(created.json());
                        })))
                .map(reply -> withSecret(reply, "credential_id", id, secret));
    }

    /** Lists the credentials of an owner that was found in the caller's scope. */
    public Future<Reply> list(Future<Owner> find) {
        return find.compose(owner -> store.list(owner.id())).map(all -> {
            var body = Json.object();
            put(body, "items", all);
            return Reply.of(body);
        });
    }

    public Future<Reply> revoke(Request request, Function<UnitOfWork, Future<Owner>> lock) {
        var id = request.pathId("credential_id");
        return mutations.run(request, unit -> lock.apply(unit)
                .compose(owner -> store.revoke(unit, owner.id(), id).map(revoked -> {
                    audit(request, unit, owner, id, "revoke");
                    return Reply.of(revoked.json());
                })));
    }

    public Future<Reply> report(Request request) {
        var unusedDays = days(request, "unused_days", 90);
        var expiringDays = days(request, "expiring_days", 14);
        var now = clock.instant();
        var unused = store.unused(request.projectId(), now, now.minus(Duration.ofDays(unusedDays)));
        var expiring = store.expiring(request.projectId(), now, now.plus(Duration.ofDays(expiringDays)));
        return Future.all(unused, expiring).map(ok -> {
            var body = Json.object().put("unused_days", unusedDays).put("expiring_days", expiringDays);
            put(body, "unused", unused.result());
            put(body, "expiring", expiring.result());
            return Reply.of(body);
        });
    }

    /**
     * Puts the secret into the answer of the request that made it. The kept answer, which a repeated request gets, has none: a secret is
     * nowhere but with its owner.
     */
    public static Reply withSecret(Reply reply, String idField, UUID id, String secret) {
        if (reply.problem() != null) {
            return reply;
        }
        var body = (ObjectNode) Json.node(reply.body());
        return body.path(idField).asText().equals(id.toString()) ? Reply.of(body.put("secret", secret)) : reply;
    }

    /** The expires_at of a body, which must lie ahead; null if it has none. */
    public static @Nullable Instant future(Request request, Instant now) {
        var given = request.body().path("expires_at");
        if (!given.isTextual()) {
            return null;
        }
        try {
            var time = OffsetDateTime.parse(given.asText()).toInstant().truncatedTo(ChronoUnit.MICROS);
            if (time.isAfter(now)) {
                return time;
            }
        } catch (DateTimeParseException e) {
            // Falls through: a leap second, say, which the contract allows and Java does not know.
        }
        throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/expires_at", "is not a time in the future")
                .asException();
    }

    private static void audit(Request request, UnitOfWork unit, Owner owner, UUID id, String verb) {
        var metadata = Json.object()
                .put("owner_kind", owner.kind().text())
                .put("owner_id", owner.id().toString());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "iam.credential." + verb,
                        "credential",
                        id.toString(),
                        owner.orgId(),
                        owner.projectId(),
                        metadata));
    }

    private static int days(Request request, String parameter, int fallback) {
        var given = request.query(parameter);
        return given == null ? fallback : Integer.parseInt(given);
    }

    private static void put(ObjectNode body, String field, List<Credential> all) {
        var items = body.putArray(field);
        all.forEach(credential -> items.add(credential.json()));
    }
}
