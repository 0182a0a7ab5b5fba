package dev.slipway.iam.token;

import dev.slipway.authz.AuthzModel;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.credential.domain.CredentialOwner.Kind;
import dev.slipway.iam.credential.domain.SecretHash;
import dev.slipway.iam.token.AccessTokenIssuer.PreparedToken;
import dev.slipway.iam.token.TokenExchangeStore.CredentialWithOwner;
import dev.slipway.iam.token.domain.ExchangeRules;
import dev.slipway.iam.token.domain.ExchangeRules.Refusal;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/** Exchanges credentials for short-lived tokens. Every exchange and every refusal is audited in the transaction that read the credential. */
public final class TokenExchangeApi {
    private static final String ACTION = "iam.token.exchange";

    private final TokenExchangeStore store;
    private final CredentialUse credentialUse;
    private final AccessTokenIssuer tokens;
    private final Outbox outbox;
    private final AuthzModel model;
    private final String reportAudience;
    private final Counter issued;
    private final Counter refused;

    private record ExchangeRequest(
            UUID clientId,
            String clientSecret,
            @Nullable String scope,
            @Nullable String audience) {
        @Nullable
        List<String> actions() {
            return scope == null ? null : List.of(scope.strip().split(" +", -1));
        }
    }

    private record AuditMetadata(UUID jti, String scope) {}

    /** Exactly one component is not null. */
    private record ExchangeOutcome(
            @Nullable PreparedToken token, @Nullable Problem refusal) {}

    /** {@code reportAudience} is that of tokens in records, which the API refuses. */
    public TokenExchangeApi(
            TokenExchangeStore store,
            CredentialUse credentialUse,
            AccessTokenIssuer tokens,
            Outbox outbox,
            AuthzModel model,
            String reportAudience,
            MeterRegistry meters) {
        this.store = store;
        this.credentialUse = credentialUse;
        this.tokens = tokens;
        this.outbox = outbox;
        this.model = model;
        this.reportAudience = reportAudience;
        this.issued = exchanges(meters, "given");
        this.refused = exchanges(meters, "refused");
    }

    private static Counter exchanges(MeterRegistry meters, String outcome) {
        return Counter.builder("slipway.token.exchanges")
                .description("Exchanges of credentials for tokens, by outcome")
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
        var body = Json.toRecord(request.body(), ExchangeRequest.class);
        return outbox.transaction(request.changeContext(), unit -> store.find(unit, kind, body.clientId())
                        .map(found -> decide(unit, kind, body, found)))
                .onSuccess(outcome -> (outcome.token == null ? refused : issued).increment())
                .compose(outcome -> outcome.token == null
                        ? Future.succeededFuture(Reply.of(Objects.requireNonNull(outcome.refusal)))
                        : tokens.sign(outcome.token, true));
    }

    private ExchangeOutcome decide(
            UnitOfWork unit, Kind kind, ExchangeRequest request, @Nullable CredentialWithOwner found) {
        var hashes = found == null ? List.<byte[]>of() : List.of(found.secretHash());
        var matching = SecretHash.indexOf(hashes, request.clientSecret);
        if (found == null || matching < 0) {
            // Audited without a tenant: the reply must not reveal whether the id exists.
            return refuse(
                    unit,
                    kind,
                    request.clientId,
                    null,
                    Problem.of(ErrorCode.CREDENTIAL_INVALID, "The client_id or the client_secret is wrong."));
        }
        var active =
                found.state() == ResourceState.ACTIVE && (kind != Kind.API_KEY || model.principal(found.id()) != null);
        var refusal = ExchangeRules.check(
                found.revokedAt(),
                found.expiresAt(),
                active,
                found.projectSuspended(),
                found.actions(),
                request.actions(),
                unit.now());
        if (refusal != null) {
            return refuse(unit, kind, request.clientId, found, problem(refusal, found));
        }
        credentialUse.record(unit, request.clientId, found.lastUsedAt());
        var requested = request.actions();
        var scope = String.join(" ", requested == null ? found.actions() : requested);
        var token = tokens.prepare(
                unit,
                found.id(),
                found.orgId(),
                found.projectId(),
                request.clientId,
                scope,
                claims(kind, request, found));
        audit(unit, kind, request.clientId, found, new AuditMetadata(token.jti(), scope), AuditResult.SUCCESS, null);
        return new ExchangeOutcome(token, null);
    }

    private static Problem problem(Refusal refusal, CredentialWithOwner found) {
        return switch (refusal) {
            case CREDENTIAL_REVOKED ->
                Problem.of(ErrorCode.CREDENTIAL_INVALID, "The credential was revoked. Create a new one.");
            case CREDENTIAL_EXPIRED ->
                Problem.of(
                        ErrorCode.CREDENTIAL_INVALID,
                        "The credential expired at " + found.expiresAt() + ". Create a new one.");
            case OWNER_INACTIVE ->
                Problem.of(
                        ErrorCode.CREDENTIAL_INVALID,
                        "The owner of the credential is not active. Ask an administrator of its organization to activate it.");
            case PROJECT_SUSPENDED ->
                Problem.of(
                        ErrorCode.PROJECT_SUSPENDED,
                        "The project of the credential is suspended. Ask an administrator of its organization to resume it.");
            case SCOPE_EXCEEDED ->
                Problem.of(
                        ErrorCode.GRANT_EXCEEDS_OWN,
                        "The scope contains actions that the owner of the credential is not allowed.");
        };
    }

    private Map<String, String> claims(Kind kind, ExchangeRequest request, CredentialWithOwner found) {
        var claims = new TreeMap<String, String>();
        if ("reports".equals(request.audience)) {
            claims.put("aud", reportAudience);
        }
        claims.put("actor_type", actorType(kind));
        putIfPresent(claims, "org_id", found.orgId());
        putIfPresent(claims, "project_id", found.projectId());
        putIfPresent(claims, "shared_runtime_id", found.sharedRuntimeId());
        return claims;
    }

    private static void putIfPresent(Map<String, String> claims, String name, @Nullable UUID id) {
        if (id != null) {
            claims.put(name, id.toString());
        }
    }

    private static ExchangeOutcome refuse(
            UnitOfWork unit, Kind kind, UUID credentialId, @Nullable CredentialWithOwner found, Problem problem) {
        audit(
                unit,
                kind,
                credentialId,
                found,
                Map.of(),
                AuditResult.DENIED,
                problem.code().code());
        return new ExchangeOutcome(null, problem);
    }

    private static void audit(
            UnitOfWork unit,
            Kind kind,
            UUID credentialId,
            @Nullable CredentialWithOwner found,
            Object metadata,
            AuditResult result,
            @Nullable String reason) {
        var entry = new AuditEntry(
                ACTION,
                "credential",
                credentialId.toString(),
                found == null ? null : found.orgId(),
                found == null ? null : found.projectId(),
                Json.toObject(metadata));
        var name = found == null ? "unknown credential" : found.displayName();
        AuditTrail.recordSystemAction(
                unit, actorType(kind), name, found == null ? null : found.id(), entry, result, reason);
    }

    private static String actorType(Kind kind) {
        return kind == Kind.API_KEY ? "user" : kind.text();
    }
}
