package dev.slipway.iam.token;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.slipway.authz.TokenSigner;
import dev.slipway.contract.Ids;
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
import java.util.function.Supplier;

/** Issues all tokens of Slipway: prepared and stored in a transaction, and signed after it, off the event loop. */
public final class AccessTokenIssuer {
    private final Vertx vertx;
    private final Supplier<TokenSigner> currentSigner;
    private final IssuedTokens issuedTokens;
    private final Duration lifetime;

    /** Stores the owner of a token, so that the token can be revoked by its jti. */
    @FunctionalInterface
    public interface IssuedTokens {
        void insert(
                UnitOfWork unit,
                UUID jti,
                UUID principalId,
                @Nullable UUID orgId,
                @Nullable UUID projectId,
                Instant expiresAt);
    }

    /** A token that was decided on and stored, and not signed yet. */
    record PreparedToken(
            UUID jti, String subject, Instant issuedAt, Instant expiresAt, String scope, Map<String, String> claims) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record TokenView(
            String accessToken,
            String tokenType,
            long expiresIn,
            @Nullable String scope) {}

    public AccessTokenIssuer(
            Vertx vertx, Supplier<TokenSigner> currentSigner, IssuedTokens issuedTokens, Duration lifetime) {
        this.vertx = vertx;
        this.currentSigner = currentSigner;
        this.issuedTokens = issuedTokens;
        this.lifetime = lifetime;
    }

    PreparedToken prepare(
            UnitOfWork unit,
            UUID subject,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            UUID credentialId,
            String scope,
            Map<String, String> claims) {
        var jti = Ids.next();
        var expiresAt = unit.now().plus(lifetime);
        issuedTokens.insert(unit, jti, subject, orgId, projectId, expiresAt);
        var all = new TreeMap<>(claims);
        all.put("scope", scope);
        all.put("credential_id", credentialId.toString());
        return new PreparedToken(jti, subject.toString(), unit.now(), expiresAt, scope, all);
    }

    /** Signs a token on a worker thread: it takes about a millisecond, which would delay other requests on the event loop. */
    Future<Reply> sign(PreparedToken token, boolean includeScope) {
        var signer = currentSigner.get();
        return vertx.executeBlocking(
                        () -> signer.sign(token.jti, token.subject, token.issuedAt, token.expiresAt, token.claims),
                        false)
                .map(text -> Reply.ofRecord(
                        new TokenView(text, "Bearer", lifetime.toSeconds(), includeScope ? token.scope : null)));
    }
}
