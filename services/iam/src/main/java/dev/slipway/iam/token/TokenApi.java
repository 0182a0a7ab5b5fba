package dev.slipway.iam.token;

import dev.slipway.authz.TokenVerifier;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.TenancyStore;
import dev.slipway.iam.token.OperatorTokenStore.Candidate;
import dev.slipway.iam.token.OperatorTokenStore.Operator;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** The keys that tokens are signed with, and tokens for adapters' tasks. */
public final class TokenApi {
    private static final Duration LIFETIME = Duration.ofMinutes(10);
    private static final String TASK_ACTIONS = "apps.instance.report apps.instance.read";
    private static final String ACTION = "iam.operator_token.exchange";

    private final TenancyStore tenancy;
    private final OperatorTokenStore store;
    private final SigningKeys keys;
    private final Outbox outbox;

    public TokenApi(TenancyStore tenancy, OperatorTokenStore store, SigningKeys keys, Outbox outbox) {
        this.tenancy = tenancy;
        this.store = store;
        this.keys = keys;
        this.outbox = outbox;
    }

    public Future<Reply> jwks(Request request) {
        return tenancy.keysOf(TokenVerifier.MACHINE_ISSUER).map(jwks -> {
            var body = Json.object();
            var array = body.putArray("keys");
            jwks.forEach(jwk -> array.add(Json.trusted(jwk)));
            return Reply.of(body);
        });
    }

    /** Every exchange is audited, and every refusal, in the transaction that looked. */
    public Future<Reply> exchange(Request request) {
        var body = request.body();
        var adapterId = UUID.fromString(body.path("adapter_id").asText());
        var instanceId = UUID.fromString(body.path("app_instance_id").asText());
        var commandId = UUID.fromString(body.path("command_id").asText());
        var secret = body.path("adapter_secret").asText();
        return outbox.transaction(
                request.cause(), unit -> store.find(unit, adapterId, instanceId).map(found -> {
                    // Hashed and compared even for an unknown adapter: the time must not tell.
                    var expected = found == null ? TenancyStore.hash("") : found.secretHash();
                    var matches = MessageDigest.isEqual(
                            expected.getBytes(), TenancyStore.hash(secret).getBytes());
                    if (found == null || !matches) {
                        return refused(
                                unit,
                                adapterId,
                                null,
                                instanceId,
                                ErrorCode.CREDENTIAL_INVALID,
                                "The adapter id or secret is wrong.");
                    }
                    var operator = found.operator();
                    return operator == null
                            ? refused(
                                    unit,
                                    adapterId,
                                    found,
                                    instanceId,
                                    ErrorCode.TASK_UNKNOWN,
                                    "Your backend has no instance " + instanceId + " (yet). Try again shortly.")
                            : granted(unit, adapterId, found, operator, instanceId, commandId);
                }));
    }

    private Reply granted(
            UnitOfWork unit, UUID adapterId, Candidate adapter, Operator operator, UUID instanceId, UUID commandId) {
        var claims = Map.of(
                "actor_type", "service_account",
                "org_id", operator.orgId().toString(),
                "project_id", operator.projectId().toString(),
                "scope", TASK_ACTIONS,
                "adapter_id", adapterId.toString(),
                "app_instance_id", instanceId.toString(),
                "command_id", commandId.toString());
        var token = keys.current()
                .sign(
                        operator.serviceAccountId().toString(),
                        unit.now(),
                        unit.now().plus(LIFETIME),
                        claims);
        audit(unit, adapterId, adapter, operator, instanceId, "success", null);
        return Reply.of(Json.object()
                .put("access_token", token)
                .put("token_type", "Bearer")
                .put("expires_in", LIFETIME.toSeconds()));
    }

    private static Reply refused(
            UnitOfWork unit,
            UUID adapterId,
            @Nullable Candidate adapter,
            UUID instanceId,
            ErrorCode code,
            String message) {
        audit(unit, adapterId, adapter, null, instanceId, "denied", code.code());
        return Reply.of(Problem.of(code, message));
    }

    private static void audit(
            UnitOfWork unit,
            UUID adapterId,
            @Nullable Candidate adapter,
            @Nullable Operator operator,
            UUID instanceId,
            String result,
            @Nullable String reason) {
        var entry = new Entry(
                ACTION,
                "app_instance",
                instanceId.toString(),
                operator == null ? null : operator.orgId(),
                operator == null ? null : operator.projectId(),
                Json.object());
        var name = adapter == null ? "unknown adapter" : adapter.adapterName();
        AuditTrail.byOther(unit, "adapter", name, adapterId, entry, result, reason);
    }
}
