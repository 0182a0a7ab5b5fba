package dev.slipway.iam.credential;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.domain.Credential;
import dev.slipway.iam.credential.domain.CredentialExpiry;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The API operations on credentials, the same for every kind of owner. Each kind of owner finds and locks its own principals. */
public final class CredentialApi {
    private final CredentialStore store;
    private final TokenRevocation revokeTokens;
    private final Mutations mutations;
    private final Clock clock;

    /** Revokes all tokens that were issued for a credential. */
    @FunctionalInterface
    public interface TokenRevocation {
        Future<Void> revoke(UnitOfWork unit, UUID credentialId);
    }

    private record CreateCredential(@Nullable String expiresAt) {}

    private record CredentialView(
            UUID credentialId,
            UUID ownerId,
            Instant createdAt,
            @Nullable Instant expiresAt,
            @Nullable Instant lastUsedAt,
            @Nullable Instant revokedAt) {}

    private record CredentialReport(
            int unusedDays, int expiringDays, List<CredentialView> unused, List<CredentialView> expiring) {}

    private record AuditMetadata(CredentialOwner.Kind ownerKind, UUID ownerId) {}

    public CredentialApi(CredentialStore store, TokenRevocation revokeTokens, Mutations mutations, Clock clock) {
        this.store = store;
        this.revokeTokens = revokeTokens;
        this.mutations = mutations;
        this.clock = clock;
    }

    /** Creates a credential for the owner that {@code lock} finds in the caller's scope. The reply contains the secret once. */
    public Future<Reply> create(Request request, Function<UnitOfWork, Future<CredentialOwner>> lock) {
        var expiresAt = requireFutureExpiry(request, clock.instant());
        var id = Ids.next();
        var secret = CredentialSecrets.generate();
        return mutations
                .run(request, unit -> lock.apply(unit)
                        .compose(owner -> requireBelowLimit(unit, owner).map(ok -> {
                            CredentialStore.insert(unit, owner, id, secret, expiresAt);
                            audit(request, unit, owner, id, "create");
                            return reply(new Credential(id, owner.id(), unit.now(), expiresAt, null, null));
                        })))
                .map(reply -> reply.withSecret("credential_id", id, secret));
    }

    public Future<Reply> list(Future<CredentialOwner> find) {
        return find.compose(owner -> store.list(owner.id()))
                .map(credentials -> ItemList.reply(credentials, CredentialApi::view));
    }

    public Future<Reply> revoke(Request request, Function<UnitOfWork, Future<CredentialOwner>> lock) {
        var id = request.pathId("credential_id");
        return mutations.run(request, unit -> lock.apply(unit)
                .compose(owner -> revoke(unit, owner.id(), id).map(revoked -> {
                    audit(request, unit, owner, id, "revoke");
                    return reply(revoked);
                })));
    }

    /** Revokes a credential and all its tokens. Revoking it again changes nothing. */
    public Future<Credential> revoke(UnitOfWork unit, UUID ownerId, UUID id) {
        return CredentialStore.lock(unit, ownerId, id).compose(found -> {
            if (found.revokedAt() != null) {
                return Future.succeededFuture(found);
            }
            var revoked = found.withRevokedAt(unit.now());
            CredentialStore.revoke(unit, revoked);
            return revokeTokens.revoke(unit, id).map(ok -> revoked);
        });
    }

    /** Records that a credential was used. */
    public void recordUse(UnitOfWork unit, UUID id, @Nullable Instant lastUsedAt) {
        if (Credential.isUseDue(lastUsedAt, unit.now())) {
            CredentialStore.recordUse(unit, id);
        }
    }

    public Future<Reply> report(Request request) {
        var unusedDays = days(request, "unused_days", 90);
        var expiringDays = days(request, "expiring_days", 14);
        var now = clock.instant();
        var unused = store.listUnused(request.projectId(), now, now.minus(Duration.ofDays(unusedDays)));
        var expiring = store.listExpiring(request.projectId(), now, now.plus(Duration.ofDays(expiringDays)));
        return Future.all(unused, expiring)
                .map(ok -> Reply.ofRecord(new CredentialReport(
                        unusedDays, expiringDays, views(unused.result()), views(expiring.result()))));
    }

    private static Future<Void> requireBelowLimit(UnitOfWork unit, CredentialOwner owner) {
        return CredentialStore.countActive(unit, owner.id()).map(count -> {
            if (count >= Credential.MAX_ACTIVE) {
                throw Problem.of(
                                ErrorCode.CREDENTIAL_LIMIT,
                                "There are already " + Credential.MAX_ACTIVE
                                        + " active credentials, which is the limit. Revoke one first.")
                        .asException();
            }
            return null;
        });
    }

    private static @Nullable Instant requireFutureExpiry(Request request, Instant now) {
        try {
            var body = request.body().isMissingNode()
                    ? new CreateCredential(null)
                    : Json.toRecord(request.body(), CreateCredential.class);
            return CredentialExpiry.parse(body.expiresAt(), now);
        } catch (IllegalArgumentException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/expires_at", "is not a time in the future")
                    .asException();
        }
    }

    private static void audit(Request request, UnitOfWork unit, CredentialOwner owner, UUID id, String verb) {
        var entry = new AuditEntry(
                "iam.credential." + verb,
                "credential",
                id.toString(),
                owner.orgId(),
                owner.projectId(),
                Json.toObject(new AuditMetadata(owner.kind(), owner.id())));
        AuditTrail.recordSuccess(unit, request.principal(), entry);
    }

    private static int days(Request request, String parameter, int fallback) {
        var given = request.query(parameter);
        return given == null ? fallback : Integer.parseInt(given);
    }

    private static Reply reply(Credential credential) {
        return Reply.ofRecord(view(credential));
    }

    private static List<CredentialView> views(List<Credential> credentials) {
        return credentials.stream().map(CredentialApi::view).toList();
    }

    private static CredentialView view(Credential credential) {
        return new CredentialView(
                credential.id(),
                credential.ownerId(),
                credential.createdAt(),
                credential.expiresAt(),
                credential.lastUsedAt(),
                credential.revokedAt());
    }
}
