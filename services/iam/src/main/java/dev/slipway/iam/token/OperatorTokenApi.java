package dev.slipway.iam.token;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.iam.adapter.Adapter;
import dev.slipway.iam.credential.CredentialStore;
import dev.slipway.iam.credential.Secrets;
import dev.slipway.iam.token.OperatorTokenStore.Candidate;
import dev.slipway.iam.token.OperatorTokenStore.Live;
import dev.slipway.iam.token.OperatorTokenStore.Speaker;
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
import java.util.TreeMap;
import java.util.UUID;

/** Tokens for adapters: for their tasks, and for themselves. Every exchange is audited, and every refusal, in the transaction that looked. */
public final class OperatorTokenApi {
    private final OperatorTokenStore store;
    private final CredentialStore credentials;
    private final TokenMint mint;
    private final Outbox outbox;

    /** What is asked for: a token of the adapter's for one command on one instance or shared runtime. */
    private record Task(UUID adapterId, String resourceType, UUID resourceId, UUID commandId) {
        Entry entry(@Nullable Speaker speaker) {
            return new Entry(
                    "iam.operator_token.exchange",
                    resourceType,
                    resourceId.toString(),
                    speaker == null ? null : speaker.orgId(),
                    speaker == null ? null : speaker.projectId(),
                    Json.object());
        }

        Map<String, String> claims(Speaker speaker) {
            var claims = new TreeMap<>(Map.of(
                    "org_id",
                    speaker.orgId().toString(),
                    "adapter_id",
                    adapterId.toString(),
                    resourceType + "_id",
                    resourceId.toString(),
                    "command_id",
                    commandId.toString()));
            if (speaker.projectId() == null) {
                claims.put("actor_type", "shared_runtime_operator");
            } else {
                claims.put("actor_type", "service_account");
                claims.put("project_id", speaker.projectId().toString());
            }
            return claims;
        }
    }

    /** An adapter that has shown its secret, or why it gets nothing: one of the two is set. */
    private record Shown(
            @Nullable Live credential, @Nullable Problem refusal) {}

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
        var adapterId = id(body, "adapter_id");
        var ofInstance = body.has("app_instance_id");
        var type = ofInstance ? "app_instance" : "shared_runtime";
        var task = new Task(adapterId, type, id(body, type + "_id"), id(body, "command_id"));
        var secret = body.path("adapter_secret").asText();
        return answer(outbox.transaction(request.cause(), unit -> {
            var found = ofInstance
                    ? store.forInstance(unit, adapterId, task.resourceId)
                    : store.forSharedRuntime(unit, adapterId, id(body, "org_id"), task.resourceId);
            return found.map(candidate -> forTask(unit, task, candidate, secret));
        }));
    }

    /** For what an adapter does in its own name: to say that it is alive, and to ask what should run. */
    public Future<Reply> exchangeOwn(Request request) {
        var adapterId = id(request.body(), "adapter_id");
        var secret = request.body().path("adapter_secret").asText();
        return answer(outbox.transaction(request.cause(), unit -> store.find(unit, adapterId)
                .map(found -> forItself(unit, adapterId, found, secret))));
    }

    private Future<Reply> answer(Future<Outcome> decided) {
        return decided.compose(outcome -> outcome.token == null
                ? Future.succeededFuture(Reply.of(Objects.requireNonNull(outcome.refusal)))
                : mint.signed(outcome.token, false));
    }

    private Outcome forTask(UnitOfWork unit, Task task, @Nullable Candidate found, String secret) {
        var shown = shown(found, secret);
        if (shown.credential == null || found == null) {
            return refused(unit, task.adapterId, found, task.entry(null), Objects.requireNonNull(shown.refusal));
        }
        var speaker = found.speaker();
        if (speaker == null) {
            var unknown = Problem.of(
                    ErrorCode.TASK_UNKNOWN,
                    "Your backend has no " + task.resourceType.replace('_', ' ') + " " + task.resourceId
                            + " (yet). Try again shortly.");
            return refused(unit, task.adapterId, found, task.entry(null), unknown);
        }
        var token = mint.decided(
                unit,
                speaker.id(),
                speaker.orgId(),
                speaker.projectId(),
                shown.credential.id(),
                String.join(" ", speaker.actions()),
                task.claims(speaker));
        return given(unit, task.adapterId, found, task.entry(speaker), shown.credential, token);
    }

    private Outcome forItself(UnitOfWork unit, UUID adapterId, @Nullable Candidate found, String secret) {
        var entry = new Entry("iam.adapter_token.exchange", "adapter", adapterId.toString(), null, null, Json.object());
        var shown = shown(found, secret);
        if (shown.credential == null || found == null) {
            return refused(unit, adapterId, found, entry, Objects.requireNonNull(shown.refusal));
        }
        var token = mint.decided(
                unit,
                adapterId,
                null,
                null,
                shown.credential.id(),
                String.join(" ", Adapter.ACTIONS),
                Map.of("actor_type", "adapter"));
        return given(unit, adapterId, found, entry, shown.credential, token);
    }

    private static Shown shown(@Nullable Candidate found, String secret) {
        var live = found == null ? List.<Live>of() : found.credentials();
        var matching = Secrets.indexOf(live.stream().map(Live::secretHash).toList(), secret);
        if (found == null || matching < 0) {
            return new Shown(null, Problem.of(ErrorCode.CREDENTIAL_INVALID, "The adapter id or secret is wrong."));
        }
        return found.disabled()
                ? new Shown(null, Problem.of(ErrorCode.CREDENTIAL_INVALID, "The adapter is disabled."))
                : new Shown(live.get(matching), null);
    }

    private Outcome given(
            UnitOfWork unit, UUID adapterId, Candidate adapter, Entry entry, Live credential, Unsigned token) {
        credentials.used(unit, credential.id(), credential.lastUsedAt());
        AuditTrail.byOther(unit, "adapter", adapter.adapterName(), adapterId, entry, "success", null);
        return new Outcome(token, null);
    }

    private static Outcome refused(
            UnitOfWork unit, UUID adapterId, @Nullable Candidate adapter, Entry entry, Problem problem) {
        var name = adapter == null ? "unknown adapter" : adapter.adapterName();
        AuditTrail.byOther(
                unit,
                "adapter",
                name,
                adapterId,
                entry,
                "denied",
                problem.code().code());
        return new Outcome(null, problem);
    }

    private static UUID id(JsonNode body, String field) {
        return UUID.fromString(body.path(field).asText());
    }
}
