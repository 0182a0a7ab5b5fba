package dev.slipway.iam.token;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.adapter.domain.Adapter;
import dev.slipway.iam.credential.domain.SecretHash;
import dev.slipway.iam.token.AccessTokenIssuer.PreparedToken;
import dev.slipway.iam.token.AdapterTokenStore.ActiveCredential;
import dev.slipway.iam.token.AdapterTokenStore.AdapterWithCredentials;
import dev.slipway.iam.token.AdapterTokenStore.TokenSubject;
import dev.slipway.iam.token.domain.TaskRules;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.NotReplicatedException;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Issues tokens to adapters: for one task on an instance or shared runtime, and for the adapter itself. Every exchange and every refusal is
 * audited in the transaction that read the credential.
 */
public final class AdapterTokenApi {
    private final AdapterTokenStore store;
    private final CredentialUse credentialUse;
    private final AccessTokenIssuer tokens;
    private final Outbox outbox;
    private final String reportAudience;

    private record OperatorTokenRequest(
            UUID adapterId,
            String adapterSecret,
            UUID commandId,
            @Nullable UUID appInstanceId,
            @Nullable UUID orgId,
            @Nullable UUID sharedRuntimeId) {
        Task task() {
            return appInstanceId != null
                    ? new Task(adapterId, "app_instance", appInstanceId, commandId)
                    : new Task(adapterId, "shared_runtime", Objects.requireNonNull(sharedRuntimeId), commandId);
        }
    }

    private record AdapterTokenRequest(
            UUID adapterId, String adapterSecret, @Nullable String audience) {
        boolean isForReports() {
            return "reports".equals(audience);
        }
    }

    /** One command of an adapter on one instance or shared runtime. */
    private record Task(UUID adapterId, String resourceType, UUID resourceId, UUID commandId) {
        AuditEntry entry(@Nullable TokenSubject subject) {
            return new AuditEntry(
                    "iam.operator_token.exchange",
                    resourceType,
                    resourceId.toString(),
                    subject == null ? null : subject.orgId(),
                    subject == null ? null : subject.projectId(),
                    Json.object());
        }

        Problem unknown(String reason) {
            return Problem.of(
                    ErrorCode.TASK_UNKNOWN,
                    "The " + resourceType.replace('_', ' ') + " " + resourceId + " " + reason
                            + ", or it has not been replicated yet. Retry shortly.");
        }

        /** Without advice to retry, which would not help. */
        Problem ofOtherBackend() {
            return Problem.of(
                    ErrorCode.TASK_UNKNOWN,
                    "The " + resourceType.replace('_', ' ') + " " + resourceId
                            + " belongs to another runtime backend than yours.");
        }

        Map<String, String> claims(TokenSubject subject, String audience) {
            var claims = new TreeMap<>(Map.of(
                    "aud",
                    audience,
                    "org_id",
                    subject.orgId().toString(),
                    "adapter_id",
                    adapterId.toString(),
                    resourceType + "_id",
                    resourceId.toString(),
                    "command_id",
                    commandId.toString()));
            if (subject.projectId() == null) {
                claims.put("actor_type", "shared_runtime_operator");
            } else {
                claims.put("actor_type", "service_account");
                claims.put("project_id", subject.projectId().toString());
            }
            return claims;
        }
    }

    /** The credential whose secret the adapter sent, or why it was refused: exactly one is not null. */
    private record CredentialCheck(
            @Nullable ActiveCredential credential, @Nullable Problem refusal) {}

    /** Exactly one component is not null. */
    private record ExchangeOutcome(
            @Nullable PreparedToken token, @Nullable Problem refusal) {}

    /** {@code reportAudience} is that of the tokens for reports and heartbeats. */
    public AdapterTokenApi(
            AdapterTokenStore store,
            CredentialUse credentialUse,
            AccessTokenIssuer tokens,
            Outbox outbox,
            String reportAudience) {
        this.store = store;
        this.credentialUse = credentialUse;
        this.tokens = tokens;
        this.outbox = outbox;
        this.reportAudience = reportAudience;
    }

    /** Waits for a command that is not replicated yet: adapters often receive it first. */
    public Future<Reply> exchangeOperatorToken(Request request) {
        return exchangeOperatorToken(request, () -> {
            throw new NotReplicatedException("The command", () -> exchangeOperatorToken(request, () -> {}));
        });
    }

    private Future<Reply> exchangeOperatorToken(Request request, Runnable onUnknown) {
        var body = Json.toRecord(request.body(), OperatorTokenRequest.class);
        var task = body.task();
        return reply(outbox.transaction(request.changeContext(), unit -> {
            var found = body.appInstanceId != null
                    ? store.findForInstance(unit, body.adapterId, body.appInstanceId, body.commandId)
                    : store.findForSharedRuntime(
                            unit, body.adapterId, Objects.requireNonNull(body.orgId), task.resourceId, body.commandId);
            return found.map(adapter -> issueForTask(unit, task, adapter, body.adapterSecret, onUnknown));
        }));
    }

    /** Issues a token for what an adapter does as itself: reading the desired state, or heartbeats. */
    public Future<Reply> exchangeAdapterToken(Request request) {
        var body = Json.toRecord(request.body(), AdapterTokenRequest.class);
        return reply(outbox.transaction(request.changeContext(), unit -> store.find(unit, body.adapterId)
                .map(found -> issueForAdapter(unit, body, found))));
    }

    private Future<Reply> reply(Future<ExchangeOutcome> exchanged) {
        return exchanged.compose(outcome -> outcome.token == null
                ? Future.succeededFuture(Reply.of(Objects.requireNonNull(outcome.refusal)))
                : tokens.sign(outcome.token, false));
    }

    private ExchangeOutcome issueForTask(
            UnitOfWork unit, Task task, @Nullable AdapterWithCredentials found, String secret, Runnable onUnknown) {
        var check = checkCredential(found, secret);
        if (check.credential == null || found == null) {
            return recordRefusal(unit, task.adapterId, found, task.entry(null), Objects.requireNonNull(check.refusal));
        }
        var subject = found.subject();
        var refusal = subject == null
                ? found.otherBackend() ? task.ofOtherBackend() : task.unknown("does not exist")
                : refuse(TaskRules.check(subject.commandKnown(), subject.commandEndedAt(), unit.now()), task);
        if (refusal != null && refusal.code() == ErrorCode.TASK_UNKNOWN && !found.otherBackend()) {
            onUnknown.run();
        }
        if (subject == null || refusal != null) {
            return recordRefusal(unit, task.adapterId, found, task.entry(subject), Objects.requireNonNull(refusal));
        }
        var token = tokens.prepare(
                unit,
                subject.id(),
                subject.orgId(),
                subject.projectId(),
                check.credential.id(),
                String.join(" ", subject.actions()),
                task.claims(subject, reportAudience));
        return recordSuccess(unit, task.adapterId, found, task.entry(subject), check.credential, token);
    }

    private static @Nullable Problem refuse(TaskRules.@Nullable Refusal refusal, Task task) {
        if (refusal == null) {
            return null;
        }
        return switch (refusal) {
            case COMMAND_UNKNOWN -> task.unknown("has no command " + task.commandId);
            case COMMAND_ENDED ->
                Problem.of(
                        ErrorCode.TASK_ENDED,
                        "The command " + task.commandId + " has ended. Discard the remaining reports on it.");
        };
    }

    private ExchangeOutcome issueForAdapter(
            UnitOfWork unit, AdapterTokenRequest request, @Nullable AdapterWithCredentials found) {
        var adapterId = request.adapterId;
        var entry = new AuditEntry(
                "iam.adapter_token.exchange", "adapter", adapterId.toString(), null, null, Json.object());
        var check = checkCredential(found, request.adapterSecret);
        if (check.credential == null || found == null) {
            return recordRefusal(unit, adapterId, found, entry, Objects.requireNonNull(check.refusal));
        }
        var token = tokens.prepare(
                unit,
                adapterId,
                null,
                null,
                check.credential.id(),
                String.join(" ", Adapter.ACTIONS),
                request.isForReports()
                        ? Map.of("actor_type", "adapter", "aud", reportAudience)
                        : Map.of("actor_type", "adapter"));
        return recordSuccess(unit, adapterId, found, entry, check.credential, token);
    }

    private static CredentialCheck checkCredential(@Nullable AdapterWithCredentials found, String secret) {
        var active = found == null ? List.<ActiveCredential>of() : found.credentials();
        var matching = SecretHash.indexOf(
                active.stream().map(ActiveCredential::secretHash).toList(), secret);
        if (found == null || matching < 0) {
            return new CredentialCheck(
                    null, Problem.of(ErrorCode.CREDENTIAL_INVALID, "The adapter id or secret is wrong."));
        }
        return found.disabled()
                ? new CredentialCheck(
                        null,
                        Problem.of(
                                ErrorCode.CREDENTIAL_INVALID,
                                "The adapter is disabled. Ask a platform administrator to enable it."))
                : new CredentialCheck(active.get(matching), null);
    }

    private ExchangeOutcome recordSuccess(
            UnitOfWork unit,
            UUID adapterId,
            AdapterWithCredentials adapter,
            AuditEntry entry,
            ActiveCredential credential,
            PreparedToken token) {
        credentialUse.record(unit, credential.id(), credential.lastUsedAt());
        AuditTrail.recordSystemAction(
                unit, "adapter", adapter.adapterName(), adapterId, entry, AuditResult.SUCCESS, null);
        return new ExchangeOutcome(token, null);
    }

    private static ExchangeOutcome recordRefusal(
            UnitOfWork unit,
            UUID adapterId,
            @Nullable AdapterWithCredentials adapter,
            AuditEntry entry,
            Problem problem) {
        var name = adapter == null ? "unknown adapter" : adapter.adapterName();
        AuditTrail.recordSystemAction(
                unit,
                "adapter",
                name,
                adapterId,
                entry,
                AuditResult.DENIED,
                problem.code().code());
        return new ExchangeOutcome(null, problem);
    }
}
