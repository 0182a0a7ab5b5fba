package dev.slipway.iam.token;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.iam.token.OperatorTokenStore.Candidate;
import dev.slipway.iam.token.OperatorTokenStore.Live;
import dev.slipway.iam.token.OperatorTokenStore.Operator;
import dev.slipway.iam.token.TokenMint.Unsigned;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Tokens for adapters' tasks. Every exchange is audited, and every refusal, in the transaction that looked. */
public final class OperatorTokenApi {
    private static final String TASK_ACTIONS = "apps.instance.report apps.instance.read";
    private static final String ACTION = "iam.operator_token.exchange";

    private final OperatorTokenStore store;
    private final CredentialStore credentials;
    private final TokenMint mint;
    private final Outbox outbox;

    /** What is asked for: a token of the adapter's for one command on one instance. */
    private record Task(UUID adapterId, UUID instanceId, UUID commandId) {}

    /** Exactly one is set. */
    private record Outcome(
            @Nullable Unsigned token, @Nullable Problem refusal) {}

    public OperatorTokenApi(OperatorTokenStore store, CredentialStore credentials, TokenMint mint, Outbox outbox) {
        this.store = store;
        this.credentials = credentials;
        this.mint = mint;
        this.outbox = outbox;
    }

    public Future<Reply> exchange(Request request) {
        var body = request.body();
        var task = new Task(
                UUID.fromString(body.path("adapter_id").asText()),
                UUID.fromString(body.path("app_instance_id").asText()),
                UUID.fromString(body.path("command_id").asText()));
        var secret = body.path("adapter_secret").asText();
        return outbox.transaction(request.cause(), unit -> store.find(unit, task.adapterId, task.instanceId)
                        .map(found -> decide(unit, task, found, secret)))
                .compose(outcome -> outcome.token == null
                        ? Future.succeededFuture(Reply.of(Objects.requireNonNull(outcome.refusal)))
                        : mint.signed(outcome.token, false));
    }

    private Outcome decide(UnitOfWork unit, Task task, @Nullable Candidate found, String secret) {
        var live = found == null ? List.<Live>of() : found.credentials();
        var matching = Secrets.indexOf(live.stream().map(Live::secretHash).toList(), secret);
        if (found == null || matching < 0) {
            return refused(unit, task, null, ErrorCode.CREDENTIAL_INVALID, "The adapter id or secret is wrong.");
        }
        if (found.disabled()) {
            return refused(unit, task, found, ErrorCode.CREDENTIAL_INVALID, "The adapter is disabled.");
        }
        var operator = found.operator();
        if (operator == null) {
            return refused(
                    unit,
                    task,
                    found,
                    ErrorCode.TASK_UNKNOWN,
                    "Your backend has no instance " + task.instanceId + " (yet). Try again shortly.");
        }
        var used = live.get(matching);
        credentials.used(unit, used.id(), used.lastUsedAt());
        audit(unit, task, found, operator, "success", null);
        return new Outcome(granted(unit, task, operator, used.id()), null);
    }

    private Unsigned granted(UnitOfWork unit, Task task, Operator operator, UUID credentialId) {
        return mint.decided(
                unit,
                operator.serviceAccountId(),
                operator.orgId(),
                operator.projectId(),
                credentialId,
                TASK_ACTIONS,
                Map.of(
                        "actor_type", "service_account",
                        "org_id", operator.orgId().toString(),
                        "project_id", operator.projectId().toString(),
                        "adapter_id", task.adapterId.toString(),
                        "app_instance_id", task.instanceId.toString(),
                        "command_id", task.commandId.toString()));
    }

    private static Outcome refused(
            UnitOfWork unit, Task task, @Nullable Candidate adapter, ErrorCode code, String message) {
        audit(unit, task, adapter, null, "denied", code.code());
        return new Outcome(null, Problem.of(code, message));
    }

    private static void audit(
            UnitOfWork unit,
            Task task,
            @Nullable Candidate adapter,
            @Nullable Operator operator,
            String result,
            @Nullable String reason) {
        var entry = new Entry(
                ACTION,
                "app_instance",
                task.instanceId.toString(),
                operator == null ? null : operator.orgId(),
                operator == null ? null : operator.projectId(),
                Json.object());
        var name = adapter == null ? "unknown adapter" : adapter.adapterName();
        AuditTrail.byOther(unit, "adapter", name, task.adapterId, entry, result, reason);
    }
}
