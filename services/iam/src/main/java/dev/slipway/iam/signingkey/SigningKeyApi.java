package dev.slipway.iam.signingkey;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;

/** The operations on signing keys. */
public final class SigningKeyApi {
    private final SigningKeyStore store;
    private final SigningKeys keys;
    private final Mutations mutations;
    private final Clock clock;

    public SigningKeyApi(SigningKeyStore store, SigningKeys keys, Mutations mutations, Clock clock) {
        this.store = store;
        this.keys = keys;
        this.mutations = mutations;
        this.clock = clock;
    }

    /** The public keys of the tokens that Slipway signs, the next one included. */
    public Future<Reply> jwks(Request request) {
        return store.published(TokenVerifier.MACHINE_ISSUER, clock.instant()).map(published -> {
            var body = Json.object();
            var array = body.putArray("keys");
            published.forEach(key -> array.add(Json.trusted(key.publicJwk())));
            return Reply.of(body);
        });
    }

    public Future<Reply> list(Request request) {
        return store.list().map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            var now = clock.instant();
            all.forEach(key -> items.add(key.json(now, keys.signingKid())));
            return Reply.of(body);
        });
    }

    public Future<Reply> rotate(Request request) {
        return keys.make()
                .compose(made -> mutations.run(
                        request, unit -> keys.rotate(unit, made).map(added -> told(request, unit, added, "rotate"))))
                .compose(reply -> keys.refresh().map(reply));
    }

    public Future<Reply> revoke(Request request) {
        return keys.make()
                .compose(made -> mutations.run(request, unit -> keys.revoke(unit, request.path("kid"), made)
                        .map(revoked -> told(request, unit, revoked, "revoke"))))
                .compose(reply -> keys.refresh().map(reply));
    }

    private Reply told(Request request, UnitOfWork unit, StoredKey key, String verb) {
        var metadata = Json.object().put("issuer", key.issuer());
        var entry = new Entry("iam.signing_key." + verb, "signing_key", key.kid(), null, null, metadata);
        AuditTrail.success(unit, request.principal(), entry);
        return Reply.of(key.json(unit.now(), keys.signingKid()));
    }
}
