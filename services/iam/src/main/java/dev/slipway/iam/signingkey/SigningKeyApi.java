package dev.slipway.iam.signingkey;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Json;
import dev.slipway.iam.signingkey.domain.KeyState;
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

/** The API operations on signing keys. */
public final class SigningKeyApi {
    private final SigningKeyStore store;
    private final SigningKeyRing keys;
    private final Mutations mutations;
    private final Clock clock;

    private record Jwks(List<ObjectNode> keys) {}

    private record SigningKeyView(
            String kid,
            String issuer,
            KeyState state,
            Instant createdAt,
            @Nullable Instant signsFrom,
            Instant expiresAt,
            @Nullable Instant revokedAt,
            long ageSeconds) {}

    private record AuditMetadata(String issuer) {}

    public SigningKeyApi(SigningKeyStore store, SigningKeyRing keys, Mutations mutations, Clock clock) {
        this.store = store;
        this.keys = keys;
        this.mutations = mutations;
        this.clock = clock;
    }

    /** Returns the public keys of the tokens that Slipway signs, including the next key. */
    public Future<Reply> jwks(Request request) {
        return store.listPublished(TokenVerifier.MACHINE_ISSUER, clock.instant())
                .map(published -> Reply.ofRecord(new Jwks(published.stream()
                        .map(key -> Json.parseStoredObject(key.publicJwk()))
                        .toList())));
    }

    public Future<Reply> list(Request request) {
        return store.list().map(all -> {
            var now = clock.instant();
            var signingKid = keys.signingKid();
            return ItemList.reply(all, key -> view(key, signingKid, now));
        });
    }

    public Future<Reply> rotate(Request request) {
        return keys.generate()
                .compose(generated -> mutations.run(request, unit -> keys.rotate(unit, generated)
                        .map(added -> auditAndReply(request, unit, added, "rotate"))))
                .compose(reply -> keys.refresh().map(reply));
    }

    public Future<Reply> revoke(Request request) {
        var kid = request.path("kid");
        return keys.generate()
                .compose(generated -> mutations.run(request, unit -> keys.revoke(unit, kid, generated)
                        .map(revoked -> auditAndReply(request, unit, revoked, "revoke"))))
                .compose(reply -> keys.refresh().map(reply));
    }

    private Reply auditAndReply(Request request, UnitOfWork unit, StoredSigningKey key, String verb) {
        var metadata = Json.toObject(new AuditMetadata(key.issuer()));
        var entry = new AuditEntry("iam.signing_key." + verb, "signing_key", key.kid(), null, null, metadata);
        AuditTrail.recordSuccess(unit, request.principal(), entry);
        return Reply.ofRecord(view(key, keys.signingKid(), unit.now()));
    }

    private static SigningKeyView view(StoredSigningKey key, @Nullable String signingKid, Instant now) {
        return new SigningKeyView(
                key.kid(),
                key.issuer(),
                KeyState.of(
                        key.signsFrom(),
                        key.expiresAt(),
                        key.revokedAt(),
                        key.kid().equals(signingKid),
                        now),
                key.createdAt(),
                key.signsFrom(),
                key.expiresAt(),
                key.revokedAt(),
                Math.max(0, Duration.between(key.createdAt(), now).toSeconds()));
    }
}
