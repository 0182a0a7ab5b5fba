package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.UpgradePath;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.AppCall;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Deployment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeCommand.Header;
import dev.slipway.operations.domain.Attribution;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.SubjectState.Status;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Decides on requests to change an existing shared runtime, and to run the operations that its app declares. */
public final class SharedRuntimeRequests {
    private static final String UPDATE_ACTION = "apps.shared_runtime.update";
    private static final String DELETE_ACTION = "apps.shared_runtime.delete";

    private SharedRuntimeRequests() {}

    /** The caller of a request. */
    public record Caller(NewOperation.Requester requester, String principalType) {
        /** Returns the creator of a runtime, on whose behalf the platform acts. */
        public static Caller ofCreator(SharedRuntime runtime) {
            return new Caller(
                    new NewOperation.Requester(runtime.requestedByUserId(), runtime.requestedByPrincipalId()), "user");
        }

        Attribution asOwner() {
            return new Attribution(null, null, principalType);
        }

        Attribution in(Attachment attachment) {
            return new Attribution(attachment.projectId(), attachment.id(), principalType);
        }
    }

    /** The treatment of dependent resources in a detachment or a deletion. */
    public enum RemovalMode implements TextEnum {
        REFUSE,
        DRAIN,
        FORCE
    }

    /** A requested declared operation; {@code input} is JSON text. */
    public record SubmissionRequest(String name, String action, Duration deadline, String input) {}

    /** Returns why the runtime cannot be upgraded or rolled back now; null if it can. */
    public static @Nullable Refusal checkChangeable(LoadedSharedRuntime loaded) {
        var other =
                loaded.open().stream().filter(each -> each.kind().isMutating()).findFirst();
        if (other.isPresent()) {
            return Refusal.operationInProgress(other.get());
        }
        return SharedRuntimeLifecycle.beginChange(loaded.runtime()) instanceof RuntimeTransition.Refused refused
                ? refused.refusal()
                : null;
    }

    /** Decides on an upgrade of a runtime that {@link #checkChangeable} accepts. */
    public static RuntimeDecision upgrade(
            LoadedSharedRuntime loaded,
            String version,
            Eligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            Caller caller,
            DecisionContext context) {
        if (eligibility.refusal() != null) {
            return refused(eligibility.refusal());
        }
        var target = Objects.requireNonNull(manifest, "an eligible version has a manifest");
        var backend = Objects.requireNonNull(eligibility.version()).runtimeBackend();
        var app = loaded.runtime().app();
        var unsupported = SharedRuntimeLifecycle.checkSupport(target, app.slug(), version);
        if (unsupported != null) {
            return refused(unsupported);
        }
        var unreachable = UpgradePath.checkUpgrade(app, "shared runtime", version, backend, target.upgrade());
        if (unreachable != null) {
            return refused(unreachable);
        }
        if (!config.problems().isEmpty()) {
            return refused(new Refusal("launch_parameters_invalid", "", Map.of(), config.problems()));
        }
        return changeVersion(
                loaded,
                Kind.UPGRADE,
                version,
                target,
                config.text(),
                target.deadlines().upgrade(),
                caller,
                context);
    }

    /** Returns why the runtime cannot be rolled back; null if it can. {@code current} is the manifest that it runs. */
    public static @Nullable Refusal checkRollback(SharedRuntime runtime, ManifestSpec current) {
        return UpgradePath.checkRollback(runtime.app(), "shared runtime", runtime.previous(), current.rollback());
    }

    /** Decides on a rollback that {@link #checkRollback} accepts. */
    public static RuntimeDecision rollback(
            LoadedSharedRuntime loaded,
            Eligibility eligibility,
            @Nullable ManifestSpec previous,
            ManifestSpec current,
            Caller caller,
            DecisionContext context) {
        if (eligibility.refusal() != null) {
            return refused(eligibility.refusal());
        }
        var to = Objects.requireNonNull(loaded.runtime().previous());
        return changeVersion(
                loaded,
                Kind.ROLLBACK,
                to.version(),
                Objects.requireNonNull(previous, "an eligible version has a manifest"),
                to.config(),
                current.deadlines().rollback(),
                caller,
                context);
    }

    private static RuntimeDecision changeVersion(
            LoadedSharedRuntime loaded,
            Kind kind,
            String version,
            ManifestSpec target,
            String config,
            Duration deadline,
            Caller caller,
            DecisionContext context) {
        var begun = SharedRuntimeLifecycle.beginChange(loaded.runtime());
        if (begun instanceof RuntimeTransition.Refused refused) {
            return refused(refused.refusal());
        }
        var change = SharedRuntimeChange.Builder.of(loaded);
        change.apply((RuntimeTransition.Accepted) begun);
        var present = loaded.workers().stream()
                .filter(worker -> worker.member().isCounted())
                .toList();
        var added = SharedRuntimeLifecycle.provision(
                loaded.runtime(), target, present.stream().map(Worker::member).toList(), context);
        change.provision(added);
        var workers = new ArrayList<>(present);
        workers.addAll(added);
        SharedRuntimeLifecycle.deploy(
                change,
                kind,
                UPDATE_ACTION,
                caller.requester(),
                caller.principalType(),
                context.now().plus(deadline),
                new Deployment(
                        target.text(),
                        config,
                        workers,
                        version,
                        loaded.runtime().app().version()),
                context);
        return change.accepted();
    }

    /** Returns the operation that already deletes the runtime; null if none does. */
    public static @Nullable UUID findDeletion(LoadedSharedRuntime loaded) {
        return loaded.open().stream()
                .filter(operation -> operation.kind() == Kind.DELETE)
                .map(Operation::id)
                .findFirst()
                .orElse(null);
    }

    /**
     * Deletes a runtime. Draining detaches all projects first: the deletion then waits for them. Forcing detaches them at once, and deletes the
     * record of a runtime that has failed or whose deletion does not end.
     */
    public static RuntimeDecision delete(
            LoadedSharedRuntime loaded, RemovalMode mode, Caller caller, Duration drain, DecisionContext context) {
        return delete(loaded, mode, caller, drain, null, context);
    }

    /** As a forced {@link #delete}, by the platform; {@code input} says why, as JSON text. */
    public static RuntimeDecision stop(LoadedSharedRuntime loaded, String input, DecisionContext context) {
        return delete(loaded, RemovalMode.FORCE, Caller.ofCreator(loaded.runtime()), Duration.ZERO, input, context);
    }

    private static RuntimeDecision delete(
            LoadedSharedRuntime loaded,
            RemovalMode mode,
            Caller caller,
            Duration drain,
            @Nullable String input,
            DecisionContext context) {
        var change = SharedRuntimeChange.Builder.of(loaded);
        var status = loaded.runtime().status();
        if (status == Status.DELETED || (findDeletion(loaded) != null && mode != RemovalMode.FORCE)) {
            return change.accepted();
        }
        if (mode == RemovalMode.REFUSE) {
            var blockers = AttachmentRequests.runtimeBlockers(loaded);
            if (!blockers.isEmpty()) {
                return refused(AttachmentRequests.inUse(
                        "shared_runtime_in_use",
                        "Projects or work depend on the shared runtime. Detach them first, or delete it with mode=drain.",
                        blockers));
            }
        }
        if (mode == RemovalMode.FORCE && (status == Status.FAILED || status == Status.DELETING)) {
            AttachmentRequests.detachAllAtOnce(change, caller, context);
            SharedRuntimeReports.endDeleted(
                    change, SharedRuntimeLifecycle.forceDelete(change.current(), context.now()), context);
            change.deleteCommands();
            return change.accepted();
        }
        if (mode == RemovalMode.DRAIN && AttachmentRequests.hasAttachments(change)) {
            var other = loaded.exclusiveOperation();
            if (other != null) {
                return refused(Refusal.operationInProgress(other));
            }
            AttachmentRequests.drainAll(change, caller, context.now().plus(drain), context);
        } else {
            AttachmentRequests.detachAllAtOnce(change, caller, context);
        }
        if (findDeletion(loaded) == null) {
            var deadline = context.now()
                    .plusSeconds(loaded.runtime().lifecycleSettings().deleteSeconds());
            var operation = NewOperation.ofKind(
                            Kind.DELETE, context.newId(), DELETE_ACTION, caller.requester(), deadline, context.newId())
                    .withAttribution(caller.asOwner());
            change.open(input == null ? operation : operation.withInput(input), context);
        }
        continueDeletion(change, context);
        return change.accepted();
    }

    /** Sends the command of an open deletion once no project is attached any more; fails the deletion if a detachment failed. */
    static void continueDeletion(SharedRuntimeChange.Builder change, DecisionContext context) {
        var deletion = change.open().stream()
                .filter(operation -> operation.kind() == Kind.DELETE)
                .findFirst()
                .orElse(null);
        if (deletion == null || change.current().status() == Status.DELETING) {
            return;
        }
        var failed = change.attachments().stream()
                .filter(attachment -> attachment.status() == Attachment.Status.FAILED)
                .findFirst();
        if (failed.isPresent()) {
            change.update(
                    deletion,
                    OperationLifecycle.reportFailed(
                            deletion,
                            "The project " + failed.get().projectId()
                                    + " could not be detached. Delete the shared runtime with mode=force.",
                            context.now()));
            return;
        }
        if (AttachmentRequests.hasAttachments(change)) {
            return;
        }
        change.open().stream()
                .filter(operation -> !operation.id().equals(deletion.id()))
                .forEach(operation -> change.update(
                        operation,
                        OperationLifecycle.supersede(
                                operation, "The shared runtime is being deleted.", context.now())));
        if (SharedRuntimeLifecycle.delete(change.current(), context.now())
                instanceof RuntimeTransition.Accepted deleting) {
            change.apply(deleting);
        }
        change.send(SharedRuntimeCommand.delete(
                new Header(Objects.requireNonNull(deletion.commandId()), deletion.id(), deletion.deadlineAt()),
                change.current()));
    }

    /** Cancels an operation. A command is sent in any case, because one that was not reported on may still be on the topic. */
    public static RuntimeDecision cancel(LoadedSharedRuntime loaded, DecisionContext context) {
        var operation = Objects.requireNonNull(loaded.operation());
        var change = SharedRuntimeChange.Builder.of(loaded);
        if (operation.cancelCommandId() != null && !operation.status().isEnded()) {
            return change.accepted();
        }
        var commandId = context.newId();
        var decision = OperationLifecycle.cancel(
                operation, commandId, "Canceled before an adapter accepted it.", context.now());
        if (decision instanceof OperationDecision.Refused refused) {
            return refused(Refusal.of(refused.code(), refused.message()));
        }
        change.send(SharedRuntimeCommand.cancel(
                new Header(commandId, operation.id(), operation.deadlineAt()),
                loaded.runtime(),
                Objects.requireNonNull(operation.commandId(), "every cancelable operation has a command")));
        var accepted = (OperationDecision.Accepted) decision;
        change.update(operation, accepted);
        if (accepted.next().status().isEnded()) {
            SharedRuntimeReports.settle(change, loaded, accepted.next(), context);
        }
        return change.accepted();
    }

    /**
     * Decides on a declared operation.
     *
     * @param attachment of the project that submits it; null if the owner runs it
     */
    public static RuntimeDecision submit(
            LoadedSharedRuntime loaded,
            ManifestSpec manifest,
            @Nullable Attachment attachment,
            SubmissionRequest request,
            Caller caller,
            DecisionContext context) {
        var refusal = attachment == null
                ? checkServing(loaded)
                : checkSubmission(loaded, manifest, attachment, request.name());
        if (refusal != null) {
            return refused(refusal);
        }
        var attribution = attachment == null ? caller.asOwner() : caller.in(attachment);
        var change = SharedRuntimeChange.Builder.of(loaded);
        var header = new Header(context.newId(), context.newId(), context.now().plus(request.deadline()));
        change.send(SharedRuntimeCommand.operate(
                header,
                loaded.runtime(),
                attachment == null ? List.of() : List.of(attachment),
                new AppCall(
                        request.name(),
                        request.input(),
                        attribution,
                        caller.requester().principalId())));
        change.open(
                new NewOperation(
                                header.operationId(),
                                Kind.DECLARED,
                                request.name(),
                                request.action(),
                                caller.requester(),
                                header.deadlineAt(),
                                header.id(),
                                request.input(),
                                null,
                                null,
                                null)
                        .withAttribution(attribution),
                context);
        return change.accepted();
    }

    private static @Nullable Refusal checkSubmission(
            LoadedSharedRuntime loaded, ManifestSpec manifest, Attachment attachment, String name) {
        var unavailable = AttachmentRequests.checkAttached(loaded, attachment);
        if (unavailable != null) {
            return unavailable;
        }
        if (!manifest.sharedRuntime().projectOperations().contains(name)) {
            return Refusal.of(
                    "submission_not_allowed",
                    "The app does not allow attached projects to submit " + name
                            + ". Only the owner of the shared runtime can run it.");
        }
        var unfinished = AttachmentRequests.unfinishedWork(loaded.open(), attachment).stream()
                .filter(operation -> operation.kind() == Kind.DECLARED)
                .count();
        return attachment.submissionOr(loaded.runtime().submission()).check(name, unfinished);
    }

    /** Returns why the runtime accepts no new work; null if it does. */
    static @Nullable Refusal checkServing(LoadedSharedRuntime loaded) {
        var stopped = SharedRuntimeLifecycle.checkRunning(loaded.runtime());
        if (stopped != null) {
            return stopped;
        }
        return findDeletion(loaded) == null
                ? null
                : Refusal.of("shared_runtime_state_conflict", "The shared runtime is about to be deleted.");
    }

    static RuntimeDecision refused(Refusal refusal) {
        return new RuntimeDecision.Refused(refusal);
    }
}
