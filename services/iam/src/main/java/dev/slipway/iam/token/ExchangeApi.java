package dev.slipway.iam.token;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Owner.Kind;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.iam.token.ExchangeStore.Candidate;
import dev.slipway.iam.token.TokenMint.Unsigned;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/** A credential goes in, a token of a few minutes comes out. Every exchange is audited, and every refusal, in the transaction that looked. */
public final class ExchangeApi {
    private static final String ACTION = "iam.token.exchange";

    private final ExchangeStore store;
    private final CredentialStore credentials;
    private final TokenMint mint;
    private final Outbox outbox;
    private final AuthzModel model;
    private final Counter given;
    private final Counter refused;

    /** Exactly one is set. */
    private record Outcome(
            @Nullable Unsigned token, @Nullable Problem refusal) {}

    public ExchangeApi(
            ExchangeStore store,
            CredentialStore credentials,
            TokenMint mint,
            Outbox outbox,
            AuthzModel model,
            MeterRegistry meters) {
        this.store = store;
        this.credentials = credentials;
        this.mint = mint;
        this.outbox = outbox;
        this.model = model;
        this.given = exchanges(meters, "given");
        this.refused = exchanges(meters, "refused");
    }

    private static Counter exchanges(MeterRegistry meters, String outcome) {
        return Counter.builder("slipway.token.exchanges")
                .description("Credentials that were shown for a token, by what came of it")
                .tag("outcome", outcome)
                .register(meters);
    }

    public Future<Reply> forServiceAccount(Request request) {
        return exchange(request, Kind.SERVICE_ACCOUNT);
    }

    public Future<Reply> forOperator(Request request) {
        return exchange(request, Kind.SHARED_RUNTIME_OPERATOR);
    }

    public Future<Reply> forApiKey(Request request) {
        return exchange(request, Kind.API_KEY);
    }

    private Future<Reply> exchange(Request request, Kind kind) {
        var credentialId = UUID.fromString(request.body().path("client_id").asText());
        var secret = request.body().path("client_secret").asText();
        var scope = request.body().path("scope");
        var asked = scope.isTextual() ? List.of(scope.asText().strip().split(" +", -1)) : null;
        return outbox.transaction(request.cause(), unit -> store.find(unit, kind, credentialId)
                        .map(found -> decide(unit, kind, credentialId, found, secret, asked)))
                .onSuccess(outcome -> (outcome.token == null ? refused : given).increment())
                .compose(outcome -> outcome.token == null
                        ? Future.succeededFuture(Reply.of(Objects.requireNonNull(outcome.refusal)))
                        : mint.signed(outcome.token, true));
    }

    private Outcome decide(
            UnitOfWork unit,
            Kind kind,
            UUID credentialId,
            @Nullable Candidate found,
            String secret,
            @Nullable List<String> asked) {
        var matching = Secrets.indexOf(found == null ? List.of() : List.of(found.secretHash()), secret);
        if (found == null || matching < 0) {
            // Whether the id or the secret is wrong is nobody's to know; the audit trail of no tenant says who tried.
            return refused(
                    unit,
                    kind,
                    credentialId,
                    null,
                    Problem.of(ErrorCode.CREDENTIAL_INVALID, "The client_id or the client_secret is wrong."));
        }
        var refusal = refusal(kind, found, unit.now(), asked);
        if (refusal != null) {
            return refused(unit, kind, credentialId, found, refusal);
        }
        credentials.used(unit, credentialId, found.lastUsedAt());
        var scope = String.join(" ", asked == null ? found.actions() : asked);
        var token = mint.decided(
                unit, found.id(), found.orgId(), found.projectId(), credentialId, scope, claims(kind, found));
        var metadata = Json.object().put("jti", token.jti().toString()).put("scope", scope);
        audit(unit, kind, credentialId, found, metadata, "success", null);
        return new Outcome(token, null);
    }

    /** What stands against a token for one who has shown the secret; null if nothing does. */
    private @Nullable Problem refusal(Kind kind, Candidate found, Instant now, @Nullable List<String> asked) {
        if (found.revokedAt() != null) {
            return Problem.of(ErrorCode.CREDENTIAL_INVALID, "The credential was revoked.");
        }
        if (found.expiresAt() != null && !found.expiresAt().isAfter(now)) {
            return Problem.of(ErrorCode.CREDENTIAL_INVALID, "The credential expired at " + found.expiresAt() + ".");
        }
        if (!found.state().equals("active") || (kind == Kind.API_KEY && model.principal(found.id()) == null)) {
            return Problem.of(ErrorCode.CREDENTIAL_INVALID, "The credential's owner is not active.");
        }
        if (asked != null && !found.actions().containsAll(asked)) {
            return Problem.of(
                    ErrorCode.GRANT_EXCEEDS_OWN, "The scope has actions that the credential's owner is not allowed.");
        }
        return null;
    }

    private static Map<String, String> claims(Kind kind, Candidate found) {
        var claims = new TreeMap<String, String>();
        claims.put("actor_type", actorType(kind));
        put(claims, "org_id", found.orgId());
        put(claims, "project_id", found.projectId());
        put(claims, "shared_runtime_id", found.sharedRuntimeId());
        return claims;
    }

    private static void put(Map<String, String> claims, String name, @Nullable UUID id) {
        if (id != null) {
            claims.put(name, id.toString());
        }
    }

    private static Outcome refused(
            UnitOfWork unit, Kind kind, UUID credentialId, @Nullable Candidate found, Problem problem) {
        audit(
                unit,
                kind,
                credentialId,
                found,
                Json.object(),
                "denied",
                problem.code().code());
        return new Outcome(null, problem);
    }

    private static void audit(
            UnitOfWork unit,
            Kind kind,
            UUID credentialId,
            @Nullable Candidate found,
            ObjectNode metadata,
            String result,
            @Nullable String reason) {
        var entry = new Entry(
                ACTION,
                "credential",
                credentialId.toString(),
                found == null ? null : found.orgId(),
                found == null ? null : found.projectId(),
                metadata);
        var name = found == null ? "unknown credential" : found.displayName();
        AuditTrail.byOther(unit, actorType(kind), name, found == null ? null : found.id(), entry, result, reason);
    }

    private static String actorType(Kind kind) {
        return kind == Kind.API_KEY ? "user" : kind.text();
    }
}
