package dev.slipway.iam.token;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.signingkey.SigningKeys;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Makes every token that Slipway gives: decided and kept in a transaction, signed after it, on no event loop. */
public final class TokenMint {
    private final Vertx vertx;
    private final SigningKeys keys;
    private final RevocationStore issued;
    private final Duration lifetime;

    /** A token that was decided on, and has its place among those that can be revoked. */
    record Unsigned(
            UUID jti, String subject, Instant issuedAt, Instant expiresAt, String scope, Map<String, String> claims) {}

    public TokenMint(Vertx vertx, SigningKeys keys, RevocationStore issued, Duration lifetime) {
        this.vertx = vertx;
        this.keys = keys;
        this.issued = issued;
        this.lifetime = lifetime;
    }

    Unsigned decided(
            UnitOfWork unit,
            UUID subject,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            UUID credentialId,
            String scope,
            Map<String, String> claims) {
        var jti = Ids.next();
        var expiresAt = unit.now().plus(lifetime);
        issued.keep(unit, jti, subject, orgId, projectId, expiresAt);
        var all = new TreeMap<>(claims);
        all.put("scope", scope);
        all.put("credential_id", credentialId.toString());
        return new Unsigned(jti, subject.toString(), unit.now(), expiresAt, scope, all);
    }

    /** Signing takes about a millisecond of a core: the bus and its other callers do not wait for it. */
    Future<Reply> signed(Unsigned token, boolean tellScope) {
        var key = keys.current();
        return vertx.executeBlocking(
                        () -> key.sign(token.jti, token.subject, token.issuedAt, token.expiresAt, token.claims), false)
                .map(text -> {
                    var body = Json.object()
                            .put("access_token", text)
                            .put("token_type", "Bearer")
                            .put("expires_in", lifetime.toSeconds());
                    return Reply.of(tellScope ? body.put("scope", token.scope) : body);
                });
    }
}
