package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MembersDecision;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.SubjectState;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** Decides on the reports of runtime adapters, and on operations that are past their deadline. */
public final class SharedRuntimeReports {
    private static final Duration DELETION_RETRY = Duration.ofMinutes(1);

    private SharedRuntimeReports() {}

    public static RuntimeDecision apply(LoadedSharedRuntime loaded, AdapterReport report, DecisionContext context) {
        var runtime = loaded.runtime();
        var now = context.now();
        var generation = report.generation();
        var change = SharedRuntimeChange.Builder.of(loaded);
        return switch (report.type()) {
            case ACCEPTED -> update(change, loaded, current -> OperationLifecycle.reportAccepted(current, now));
            case PROGRESS -> update(change, loaded, current -> report.applyProgress(current, now));
            case DEPLOYING ->
                apply(
                        change,
                        loaded,
                        SharedRuntimeLifecycle.reportDeploying(runtime, generation, report.runtimeState(), now),
                        current -> report.applyProgress(current, now));
            case RUNNING ->
                report.target() != null
                        ? applyTarget(change, loaded, report, context)
                        : applyRunning(change, loaded, report, context);
            case FAILED ->
                apply(
                        change,
                        loaded,
                        SharedRuntimeLifecycle.reportFailed(runtime, generation, report.reasonText(), now),
                        current -> report.applyFailed(current, now));
            case DELETED -> applyDeleted(change, loaded, report, context);
            case OPERATION -> applyResult(change, loaded, report, context);
            case MEMBERS -> applyWorkers(change, loaded, report, context);
            case USAGE -> change.accepted();
        };
    }

    private static RuntimeDecision apply(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            RuntimeTransition transition,
            Function<Operation, OperationDecision.Accepted> onOperation) {
        if (transition instanceof RuntimeTransition.Refused refused) {
            return new RuntimeDecision.Refused(refused.refusal());
        }
        change.apply((RuntimeTransition.Accepted) transition);
        return update(change, loaded, onOperation);
    }

    private static RuntimeDecision update(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            Function<Operation, OperationDecision.Accepted> onOperation) {
        var operation = loaded.operation();
        if (operation != null) {
            change.update(operation, onOperation.apply(operation));
        }
        return change.accepted();
    }

    private static RuntimeDecision applyRunning(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            AdapterReport report,
            DecisionContext context) {
        var now = context.now();
        var decision = apply(
                change,
                loaded,
                SharedRuntimeLifecycle.reportRunning(loaded.runtime(), report.generation(), report.runtimeState(), now),
                current -> report.applyRunning(current, now));
        if (decision instanceof RuntimeDecision.Refused || change.current().status() != SubjectState.Status.RUNNING) {
            return decision;
        }
        AttachmentRequests.activate(change, context);
        return change.accepted();
    }

    private static RuntimeDecision applyDeleted(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            AdapterReport report,
            DecisionContext context) {
        var transition = SharedRuntimeLifecycle.reportDeleted(loaded.runtime(), report.generation(), context.now());
        if (transition instanceof RuntimeTransition.Refused refused) {
            return new RuntimeDecision.Refused(refused.refusal());
        }
        endDeleted(change, transition, context);
        return change.accepted();
    }

    /** Ends everything that belongs to a runtime once it is deleted. */
    static void endDeleted(SharedRuntimeChange.Builder change, RuntimeTransition transition, DecisionContext context) {
        if (!(transition instanceof RuntimeTransition.Accepted accepted)
                || accepted.next().status() != SubjectState.Status.DELETED) {
            return;
        }
        change.apply(accepted);
        change.workers().stream()
                .filter(Worker::isPresent)
                .forEach(worker -> change.updateWorker(
                        worker, worker.withMember(MemberLifecycle.markRemoved(worker.member(), context.now())), null));
        change.attachments().stream()
                .filter(attachment -> attachment.status() != Attachment.Status.DETACHED)
                .forEach(attachment -> AttachmentRequests.endAttachment(change, attachment, context));
        for (var operation : change.open()) {
            change.update(
                    operation,
                    operation.kind() == Kind.DELETE
                            ? OperationLifecycle.reportSucceeded(operation, null, context.now())
                            : OperationLifecycle.supersede(operation, "The shared runtime is deleted.", context.now()));
        }
    }

    private static RuntimeDecision applyTarget(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            AdapterReport report,
            DecisionContext context) {
        var transition = SharedRuntimeLifecycle.reportUpgraded(
                loaded.runtime(),
                report.generation(),
                Objects.requireNonNull(loaded.operation()).id(),
                Objects.requireNonNull(report.target()),
                report.runtimeState(),
                context.now());
        if (transition instanceof RuntimeTransition.Refused refused) {
            return new RuntimeDecision.Refused(refused.refusal());
        }
        change.apply((RuntimeTransition.Accepted) transition);
        return change.accepted();
    }

    private static RuntimeDecision applyResult(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            AdapterReport report,
            DecisionContext context) {
        var operation = loaded.operation();
        if (operation == null || operation.kind() == Kind.CREATE || operation.kind() == Kind.DELETE) {
            return new RuntimeDecision.Refused(AdapterReport.refuseResult());
        }
        if (operation.kind() == Kind.MEMBER
                && (report.isOutdated(loaded.runtime().generation())
                        || operation.status().isEnded())) {
            return change.accepted();
        }
        if (report.target() != null
                && applyTarget(change, loaded, report, context) instanceof RuntimeDecision.Refused refused) {
            return refused;
        }
        var ended = report.applyResult(operation, context.now());
        change.update(operation, ended);
        if (!operation.status().isEnded()) {
            settle(change, loaded, ended.next(), context);
        }
        return change.accepted();
    }

    /** Applies the end of an operation to the workers, and continues what waited for it: detachments and a deletion. */
    static void settle(
            SharedRuntimeChange.Builder change, LoadedSharedRuntime loaded, Operation ended, DecisionContext context) {
        if (ended.kind() == Kind.MEMBER) {
            WorkerRequests.applyResult(change, loaded.memberInput(), ended, context);
            WorkerRequests.removeLateWorkers(change, ended, context);
        }
        AttachmentRequests.continueDetachments(change, context);
        SharedRuntimeRequests.continueDeletion(change, context);
    }

    /** If one worker's state is refused, the whole report is. */
    private static RuntimeDecision applyWorkers(
            SharedRuntimeChange.Builder change,
            LoadedSharedRuntime loaded,
            AdapterReport report,
            DecisionContext context) {
        if (report.isOutdated(loaded.runtime().generation())) {
            return change.accepted();
        }
        var decision =
                MemberLifecycle.reportAll(loaded.members(), report.members(), WorkerRequests::notFound, context.now());
        if (decision instanceof MembersDecision.Refused refused) {
            return new RuntimeDecision.Refused(refused.refusal());
        }
        var next = ((MembersDecision.Accepted) decision).next();
        var operation = loaded.operation();
        if (operation != null) {
            change.update(operation, OperationLifecycle.reportAccepted(operation, context.now()));
        }
        var operationId = operation == null ? null : operation.id();
        loaded.workers()
                .forEach(worker -> change.updateWorker(
                        worker, worker.withMember(Objects.requireNonNull(next.get(worker.id()))), operationId));
        AttachmentRequests.continueDetachments(change, context);
        SharedRuntimeRequests.continueDeletion(change, context);
        return change.accepted();
    }

    /** Ends an operation that is past its deadline; a deletion is resent instead, and stays open. */
    public static SharedRuntimeChange expire(LoadedSharedRuntime loaded, Blocker blocker, DecisionContext context) {
        var operation = Objects.requireNonNull(loaded.operation());
        var change = SharedRuntimeChange.Builder.of(loaded);
        var expired = OperationLifecycle.expire(
                operation,
                operation.kind() == Kind.DETACH ? AttachmentRequests.remaining(loaded, operation) : blocker,
                DELETION_RETRY,
                context.now());
        if (expired.next().equals(operation)) {
            return change.build();
        }
        if (operation.kind() == Kind.CREATE
                && SharedRuntimeLifecycle.expireCreation(
                                loaded.runtime(),
                                Objects.requireNonNull(expired.next().reason()),
                                context.now())
                        instanceof RuntimeTransition.Accepted failed) {
            change.apply(failed);
        }
        change.update(operation, expired);
        switch (operation.kind()) {
            case DELETE -> change.resend(Objects.requireNonNull(operation.commandId()));
            case DETACH -> {
                AttachmentRequests.failDetachment(change, expired.next(), context);
                SharedRuntimeRequests.continueDeletion(change, context);
            }
            case MEMBER, DECLARED -> settle(change, loaded, expired.next(), context);
            case CREATE, UPGRADE, ROLLBACK -> {
                // Nothing else depends on them.
            }
        }
        return change.build();
    }
}
