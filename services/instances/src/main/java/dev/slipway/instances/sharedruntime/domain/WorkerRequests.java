package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberDecision;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MemberOperation;
import dev.slipway.instances.member.domain.MemberOperationInput;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Header;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.WorkerCall;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Decides on worker operations, by the owner of a shared runtime and by the projects that contribute workers. */
public final class WorkerRequests {
    private static final String ACTION = "apps.shared_runtime.worker.operate";

    private WorkerRequests() {}

    /** A requested operation: on a worker or, to add one, on a component. */
    public record WorkerRequest(
            MemberOperation operation,
            @Nullable UUID workerId,
            String component,
            Worker.Capacity capacity,
            Map<String, String> labels) {}

    /**
     * Decides on a worker operation. Operations on different workers run at the same time.
     *
     * @param attachment of the project that requests it; null for the owner
     * @param encodeInput encodes the input as JSON
     */
    public static RuntimeDecision operate(
            LoadedSharedRuntime loaded,
            ManifestSpec manifest,
            @Nullable Attachment attachment,
            WorkerRequest request,
            Caller caller,
            Function<MemberOperationInput, String> encodeInput,
            DecisionContext context) {
        var unavailable = attachment == null
                ? SharedRuntimeRequests.checkServing(loaded)
                : AttachmentRequests.checkAttached(loaded, attachment);
        if (unavailable != null) {
            return SharedRuntimeRequests.refused(unavailable);
        }
        var before = request.workerId() == null ? null : find(loaded, request.workerId(), attachment);
        if (request.workerId() != null && before == null) {
            return SharedRuntimeRequests.refused(notFound(request.workerId()));
        }
        var busy = checkFree(loaded, request.workerId(), attachment);
        if (busy != null) {
            return SharedRuntimeRequests.refused(busy);
        }
        var key = before == null ? request.component() : before.member().component();
        var component = manifest.components().stream()
                .filter(each -> each.key().equals(key)
                        && (attachment == null
                                || manifest.sharedRuntime().workerComponents().contains(key)))
                .findFirst()
                .orElse(null);
        if (component == null) {
            return SharedRuntimeRequests.refused(
                    Refusal.invalid("/component", "is not a worker component of the version that runs"));
        }
        var decision = before == null
                ? MemberLifecycle.add(
                        component, loaded.members(), newMember(loaded.runtime(), key, request.labels(), context))
                : MemberLifecycle.operate(
                        request.operation(), component, loaded.members(), before.member(), context.now());
        if (decision instanceof MemberDecision.Refused refused) {
            return SharedRuntimeRequests.refused(Refusal.of(refused.code(), refused.message()));
        }
        var member = ((MemberDecision.Accepted) decision).next();
        if (before == null && attachment != null) {
            var refusal = checkContribution(loaded, attachment, request.capacity());
            if (refusal != null) {
                return SharedRuntimeRequests.refused(refusal);
            }
        }
        var worker = before != null
                ? before.withMember(member)
                : attachment == null
                        ? Worker.ofTenant(member, request.capacity())
                        : Worker.ofProject(member, attachment, request.capacity());
        var replacement = request.operation() == MemberOperation.REPLACE
                ? worker.withMember(newMember(loaded.runtime(), key, member.labels(), context))
                : null;
        var change = SharedRuntimeChange.Builder.of(loaded);
        open(
                change,
                new WorkerCall(request.operation(), worker, replacement, request.labels()),
                before,
                attachment == null ? caller.asOwner() : caller.in(attachment),
                caller,
                context.now().plus(manifest.deadlines().member()),
                encodeInput,
                context);
        return change.accepted();
    }

    private static @Nullable Refusal checkContribution(
            LoadedSharedRuntime loaded, Attachment attachment, Worker.Capacity capacity) {
        var contributed = loaded.workers().stream()
                .filter(each -> each.belongsTo(attachment) && each.member().isCounted())
                .count();
        return attachment
                .contributionOr(loaded.runtime().contribution())
                .check(contributed, capacity.sku(), capacity.region());
    }

    /** A worker of another project is not found. */
    private static @Nullable Worker find(LoadedSharedRuntime loaded, UUID workerId, @Nullable Attachment attachment) {
        return loaded.workers().stream()
                .filter(worker -> worker.id().equals(workerId) && (attachment == null || worker.belongsTo(attachment)))
                .findFirst()
                .orElse(null);
    }

    public static Refusal notFound(UUID workerId) {
        return Refusal.of("worker_not_found", "This shared runtime has no worker " + workerId + ".");
    }

    /** Returns why a worker cannot be changed now; null if it can. Operations of other projects are not shown to a project. */
    private static @Nullable Refusal checkFree(
            LoadedSharedRuntime loaded, @Nullable UUID workerId, @Nullable Attachment attachment) {
        var exclusive = loaded.exclusiveOperation();
        if (exclusive != null) {
            return attachment == null
                    ? Refusal.operationInProgress(exclusive)
                    : Refusal.of(
                            "operation_in_progress",
                            "The shared runtime is being changed by its owner. Retry when the change has ended.");
        }
        return loaded.open().stream()
                .filter(each -> each.kind() == Kind.MEMBER && Objects.equals(each.memberId(), workerId))
                .filter(each -> workerId != null)
                .findFirst()
                .map(Refusal::operationInProgress)
                .orElse(null);
    }

    private static void open(
            SharedRuntimeChange.Builder change,
            WorkerCall call,
            @Nullable Worker before,
            Attribution attribution,
            Caller caller,
            Instant deadlineAt,
            Function<MemberOperationInput, String> encodeInput,
            DecisionContext context) {
        var header = new Header(context.newId(), context.newId(), deadlineAt);
        var replacement = call.replacement();
        var input = new MemberOperationInput(
                call.worker().id(),
                call.worker().member().component(),
                replacement == null ? null : replacement.id(),
                call.labels());
        var attachments = change.attachments().stream()
                .filter(attachment -> call.worker().belongsTo(attachment))
                .toList();
        change.send(SharedRuntimeCommand.worker(header, change.current(), attachments, call));
        change.open(
                new NewOperation(
                                header.operationId(),
                                Kind.MEMBER,
                                call.operation().text(),
                                ACTION,
                                caller.requester(),
                                deadlineAt,
                                header.id(),
                                encodeInput.apply(input),
                                call.worker().id(),
                                null,
                                null)
                        .withAttribution(attribution),
                context);
        if (before == null) {
            change.addWorker(call.worker(), header.operationId());
        } else {
            change.updateWorker(before, call.worker(), header.operationId());
        }
        if (replacement != null) {
            change.addWorker(replacement, header.operationId());
        }
    }

    /** Removes the workers of a project that no operation changes, regardless of the limits of their components. */
    static void removeAll(
            SharedRuntimeChange.Builder change,
            Attachment attachment,
            Caller caller,
            Instant deadlineAt,
            DecisionContext context) {
        change.workers().stream()
                .filter(worker -> worker.belongsTo(attachment)
                        && worker.isPresent()
                        && worker.member().desired() != Member.DesiredState.REMOVED
                        && change.open().stream().noneMatch(each -> worker.id().equals(each.memberId())))
                .forEach(worker -> remove(change, worker, caller.in(attachment), caller, deadlineAt, context));
    }

    private static void remove(
            SharedRuntimeChange.Builder change,
            Worker worker,
            Attribution attribution,
            Caller caller,
            Instant deadlineAt,
            DecisionContext context) {
        var member = worker.member();
        var removed = worker.withMember(
                member.withDesired(Member.DesiredState.REMOVED, member.generation() + 1, context.now()));
        open(
                change,
                new WorkerCall(MemberOperation.REMOVE, removed, null, Map.of()),
                worker,
                attribution,
                caller,
                deadlineAt,
                input -> "{\"member_id\":\"" + input.memberId() + "\"}",
                context);
    }

    /** Cancels an operation without waiting for the adapter, which receives a command to stop it. */
    static void cancel(
            SharedRuntimeChange.Builder change, Operation operation, String reason, DecisionContext context) {
        var commandId = Objects.requireNonNull(operation.commandId(), "every cancelable operation has a command");
        var cancelCommandId = context.newId();
        change.send(SharedRuntimeCommand.cancel(
                new Header(cancelCommandId, operation.id(), operation.deadlineAt()), change.current(), commandId));
        change.update(operation, OperationLifecycle.supersede(operation, cancelCommandId, reason, context.now()));
    }

    /** Removes a worker that joined while its project is being detached. */
    static void removeLateWorkers(SharedRuntimeChange.Builder change, Operation ended, DecisionContext context) {
        if (ended.kind() != Kind.MEMBER || ended.name().equals(MemberOperation.REMOVE.text())) {
            return;
        }
        for (var attachment : change.attachments()) {
            if (attachment.status() == Attachment.Status.DETACHING) {
                AttachmentRequests.findDetachment(change.open(), attachment).stream()
                        .findFirst()
                        .ifPresent(detachment -> removeAll(
                                change,
                                attachment,
                                new Caller(
                                        new NewOperation.Requester(
                                                detachment.requestedByUserId(), detachment.requestedByPrincipalId()),
                                        Objects.requireNonNull(detachment.attribution())
                                                .principalType()),
                                detachment.deadlineAt(),
                                context));
            }
        }
    }

    private static Member newMember(
            SharedRuntime runtime, String component, Map<String, String> labels, DecisionContext context) {
        return Member.create(context.newId(), runtime.ref(), component, labels, context.now());
    }

    /** Returns the workers after an operation has ended, by a report, at its deadline or by cancellation. */
    static void applyResult(
            SharedRuntimeChange.Builder change, MemberOperationInput input, Operation ended, DecisionContext context) {
        for (var worker : List.copyOf(change.workers())) {
            change.updateWorker(
                    worker,
                    worker.withMember(MemberLifecycle.applyResult(worker.member(), ended, input, context.now())),
                    ended.id());
        }
    }
}
