package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.instances.appinstance.domain.DecisionContext;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.sharedruntime.domain.Attachment.Policies;
import dev.slipway.instances.sharedruntime.domain.Attachment.Status;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.Caller;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeRequests.RemovalMode;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.SubjectState;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Decides on attaching projects to a shared runtime, on their policies, and on detaching them. */
public final class AttachmentRequests {
    private static final String DETACH_ACTION = "apps.shared_runtime.attachment.delete";

    private AttachmentRequests() {}

    /** Workers and unfinished operations that the policies of an attachment would not allow. */
    public record Exceeding(List<UUID> workerIds, List<UUID> operationIds) {}

    /** Attaches a project that {@code eligibility} accepts; null means that it does. */
    public static RuntimeDecision attach(
            LoadedSharedRuntime loaded,
            ManifestSpec manifest,
            UUID projectId,
            Policies policies,
            @Nullable Refusal eligibility,
            DecisionContext context) {
        var existing = loaded.attachmentOf(projectId);
        if (existing != null) {
            return SharedRuntimeRequests.refused(new Refusal(
                    "attachment_exists",
                    "The project is attached to this shared runtime already: " + existing.id() + ".",
                    Map.of("attachment_id", existing.id().toString()),
                    List.of()));
        }
        var refusal = checkOpen(loaded);
        if (refusal == null) {
            refusal = eligibility;
        }
        if (refusal == null && policies.submission() != null) {
            refusal = checkOperations(policies.submission(), manifest);
        }
        if (refusal != null) {
            return SharedRuntimeRequests.refused(refusal);
        }
        var change = SharedRuntimeChange.Builder.of(loaded);
        change.addAttachment(Attachment.create(context.newId(), loaded.runtime(), projectId, policies, context.now()));
        if (loaded.runtime().status() == SubjectState.Status.RUNNING) {
            activate(change, context);
        }
        return change.accepted();
    }

    /** Returns why no project can be attached now; null if one can. */
    private static @Nullable Refusal checkOpen(LoadedSharedRuntime loaded) {
        var status = loaded.runtime().status();
        return status == SubjectState.Status.DELETING
                        || status == SubjectState.Status.DELETED
                        || SharedRuntimeRequests.findDeletion(loaded) != null
                ? Refusal.of("shared_runtime_state_conflict", "The shared runtime is deleted or about to be deleted.")
                : null;
    }

    /** Puts the requested attachments of a running runtime into effect. */
    static void activate(SharedRuntimeChange.Builder change, DecisionContext context) {
        change.attachments().stream()
                .filter(attachment -> attachment.status() == Status.REQUESTED)
                .forEach(attachment -> change.updateAttachment(
                        attachment.withStatus(Status.ATTACHED, null, context.now()), AttachmentEvent.ATTACHED));
    }

    /** Returns why a policy names operations that the manifest does not allow to projects; null if it does not. */
    static @Nullable Refusal checkOperations(SubmissionPolicy policy, ManifestSpec manifest) {
        var names = policy.operations();
        if (names == null) {
            return null;
        }
        for (var i = 0; i < names.size(); i++) {
            if (!manifest.sharedRuntime().projectOperations().contains(names.get(i))) {
                return Refusal.invalid(
                        "/submission_policy/operations/" + i,
                        "is not an operation that the app allows to attached projects");
            }
        }
        return null;
    }

    /** Changes the policies of an attachment; they apply to new requests. */
    public static RuntimeDecision update(
            LoadedSharedRuntime loaded,
            Attachment attachment,
            Policies policies,
            ManifestSpec manifest,
            DecisionContext context) {
        if (attachment.status() == Status.DETACHING || attachment.status() == Status.DETACHED) {
            return SharedRuntimeRequests.refused(Refusal.of(
                    "state_conflict", "The project is " + attachment.status().text() + "."));
        }
        var invalid = policies.submission() == null ? null : checkOperations(policies.submission(), manifest);
        if (invalid != null) {
            return SharedRuntimeRequests.refused(invalid);
        }
        var change = SharedRuntimeChange.Builder.of(loaded);
        change.updateAttachment(attachment.withPolicies(policies, context.now()), AttachmentEvent.UPDATED);
        return change.accepted();
    }

    /** Returns what the policies of an attachment would not allow. The oldest workers and operations count first. */
    public static Exceeding findExceeding(LoadedSharedRuntime loaded, Attachment attachment) {
        var contribution = attachment.contributionOr(loaded.runtime().contribution());
        var submission = attachment.submissionOr(loaded.runtime().submission());
        var workers = new ArrayList<UUID>();
        var counted = 0L;
        for (var worker : loaded.workers()) {
            if (worker.belongsTo(attachment) && worker.member().isCounted()) {
                if (contribution.isExceededBy(worker, counted)) {
                    workers.add(worker.id());
                }
                counted++;
            }
        }
        var operations = new ArrayList<UUID>();
        var unfinished = 0L;
        for (var operation : unfinishedWork(loaded.open(), attachment)) {
            if (operation.kind() == Kind.DECLARED) {
                if (submission.check(operation.name(), unfinished) != null) {
                    operations.add(operation.id());
                }
                unfinished++;
            }
        }
        return new Exceeding(workers, operations);
    }

    /**
     * Detaches a project.
     *
     * @param appInstances live app instances of the project that use the runtime
     */
    public static RuntimeDecision detach(
            LoadedSharedRuntime loaded,
            Attachment attachment,
            List<UUID> appInstances,
            RemovalMode mode,
            Caller caller,
            Instant drainUntil,
            DecisionContext context) {
        var change = SharedRuntimeChange.Builder.of(loaded);
        if (attachment.status() == Status.DETACHING && mode != RemovalMode.FORCE) {
            return change.accepted();
        }
        var blockers = new ArrayList<>(blockers(loaded, attachment));
        if (mode == RemovalMode.FORCE) {
            detachAtOnce(change, attachment, caller, context);
        } else if (!appInstances.isEmpty() || (mode == RemovalMode.REFUSE && !blockers.isEmpty())) {
            appInstances.forEach(id -> blockers.add(
                    blocker("app_instance", id, "The project uses the shared runtime in the app instance")));
            return SharedRuntimeRequests.refused(inUse(
                    "attachment_in_use",
                    appInstances.isEmpty()
                            ? "The project has workers or unfinished work there. Wait, or detach it with mode=drain."
                            : "App instances of the project use the shared runtime. Delete them first.",
                    blockers));
        } else if (blockers.isEmpty()) {
            endAttachment(change, attachment, context);
        } else {
            drain(change, attachment, caller, drainUntil, context);
        }
        SharedRuntimeRequests.continueDeletion(change, context);
        return change.accepted();
    }

    static boolean hasAttachments(SharedRuntimeChange.Builder change) {
        return change.attachments().stream().anyMatch(attachment -> attachment.status() != Status.DETACHED);
    }

    static void drainAll(
            SharedRuntimeChange.Builder change, Caller caller, Instant drainUntil, DecisionContext context) {
        for (var attachment : change.attachments()) {
            switch (attachment.status()) {
                case REQUESTED, ATTACHED, FAILED -> {
                    if (blockers(change.workers(), change.open(), attachment).isEmpty()) {
                        endAttachment(change, attachment, context);
                    } else {
                        drain(change, attachment, caller, drainUntil, context);
                    }
                }
                case DETACHING, DETACHED -> {
                    // The first is already being drained.
                }
            }
        }
    }

    static void detachAllAtOnce(SharedRuntimeChange.Builder change, Caller caller, DecisionContext context) {
        change.attachments().stream()
                .filter(attachment -> attachment.status() != Status.DETACHED)
                .forEach(attachment -> detachAtOnce(change, attachment, caller, context));
    }

    private static void drain(
            SharedRuntimeChange.Builder change,
            Attachment attachment,
            Caller caller,
            Instant until,
            DecisionContext context) {
        change.updateAttachment(
                attachment.withStatus(Status.DETACHING, null, context.now()), AttachmentEvent.DETACHING);
        change.open(
                new NewOperation(
                        context.newId(),
                        Kind.DETACH,
                        Kind.DETACH.text(),
                        DETACH_ACTION,
                        caller.requester(),
                        until,
                        null,
                        null,
                        null,
                        null,
                        null,
                        caller.in(attachment)),
                context);
        WorkerRequests.removeAll(change, attachment, caller, until, context);
    }

    /** Cancels the work of a project, removes its workers without waiting for them, and detaches it. */
    static void detachAtOnce(
            SharedRuntimeChange.Builder change, Attachment attachment, Caller caller, DecisionContext context) {
        unfinishedWork(change.open(), attachment)
                .forEach(operation -> WorkerRequests.cancel(
                        change, operation, "The project was detached from the shared runtime.", context));
        endAttachment(change, attachment, context);
        WorkerRequests.removeAll(
                change,
                attachment,
                caller,
                context.now().plusSeconds(change.current().lifecycleSettings().deleteSeconds()),
                context);
    }

    /** Detaches a project, and ends the operation that does so. */
    static void endAttachment(SharedRuntimeChange.Builder change, Attachment attachment, DecisionContext context) {
        change.updateAttachment(attachment.withStatus(Status.DETACHED, null, context.now()), AttachmentEvent.DETACHED);
        findDetachment(change.open(), attachment)
                .forEach(operation ->
                        change.update(operation, OperationLifecycle.reportSucceeded(operation, null, context.now())));
    }

    /** Detaches the projects whose workers and work are gone. */
    static void continueDetachments(SharedRuntimeChange.Builder change, DecisionContext context) {
        change.attachments().stream()
                .filter(attachment -> attachment.status() == Status.DETACHING
                        && blockers(change.workers(), change.open(), attachment).isEmpty())
                .forEach(attachment -> endAttachment(change, attachment, context));
    }

    /** Returns what a detachment still waits for. */
    static Blocker remaining(LoadedSharedRuntime loaded, Operation detachment) {
        var count = loaded.attachments().stream()
                .filter(attachment -> belongsTo(detachment, attachment))
                .mapToInt(attachment -> blockers(loaded, attachment).size())
                .sum();
        return new Blocker(
                "detachment_blocked",
                "The project still has " + count
                        + " workers or unfinished operations there. Detach it with mode=force, or again later.",
                "project");
    }

    /** The deadline of a detachment has passed. */
    static void failDetachment(SharedRuntimeChange.Builder change, Operation ended, DecisionContext context) {
        change.attachments().stream()
                .filter(attachment -> belongsTo(ended, attachment))
                .forEach(attachment -> change.updateAttachment(
                        attachment.withStatus(Status.FAILED, ended.reason(), context.now()), AttachmentEvent.FAILED));
    }

    /** Returns why a project cannot use the runtime now; null if it can. */
    static @Nullable Refusal checkAttached(LoadedSharedRuntime loaded, Attachment attachment) {
        var unavailable = SharedRuntimeRequests.checkServing(loaded);
        if (unavailable != null) {
            return unavailable;
        }
        return attachment.status() == Status.ATTACHED
                ? null
                : Refusal.of(
                        "state_conflict",
                        "The attachment of the project is "
                                + attachment.status().text()
                                + ". Only an attached project can use the shared runtime.");
    }

    /** Returns the open operations of a project, except the one that detaches it. */
    static List<Operation> unfinishedWork(List<Operation> open, Attachment attachment) {
        return open.stream()
                .filter(operation -> operation.kind() != Kind.DETACH && belongsTo(operation, attachment))
                .toList();
    }

    public static List<Blocker> blockers(LoadedSharedRuntime loaded, Attachment attachment) {
        return blockers(loaded.workers(), loaded.open(), attachment);
    }

    private static List<Blocker> blockers(List<Worker> workers, List<Operation> open, Attachment attachment) {
        var blockers = new ArrayList<Blocker>();
        workers.stream()
                .filter(worker -> worker.belongsTo(attachment) && worker.isPresent())
                .forEach(worker -> blockers.add(blocker("worker", worker.id(), "The project contributes the worker")));
        unfinishedWork(open, attachment)
                .forEach(operation ->
                        blockers.add(blocker("operation", operation.id(), "Work is not finished: operation")));
        return blockers;
    }

    static List<Blocker> runtimeBlockers(LoadedSharedRuntime loaded) {
        var blockers = new ArrayList<Blocker>();
        loaded.attachments()
                .forEach(attachment -> blockers.add(blocker(
                        "attachment",
                        attachment.id(),
                        "The project " + attachment.projectId() + " is attached by the attachment")));
        loaded.open().stream()
                .filter(operation -> operation.kind() == Kind.DECLARED || operation.kind() == Kind.MEMBER)
                .forEach(operation ->
                        blockers.add(blocker("operation", operation.id(), "Work is not finished: operation")));
        return blockers;
    }

    static Refusal inUse(String code, String message, List<Blocker> blockers) {
        return new Refusal(code, message, Map.of(), List.of(), blockers);
    }

    private static Blocker blocker(String code, UUID id, String text) {
        return new Blocker(code, text + " " + id + ".", "project");
    }

    /** Returns the operation that detaches a project. */
    static List<Operation> findDetachment(List<Operation> open, Attachment attachment) {
        return open.stream()
                .filter(operation -> operation.kind() == Kind.DETACH && belongsTo(operation, attachment))
                .toList();
    }

    private static boolean belongsTo(Operation operation, Attachment attachment) {
        return operation.attribution() != null
                && Objects.equals(operation.attribution().attachmentId(), attachment.id());
    }
}
