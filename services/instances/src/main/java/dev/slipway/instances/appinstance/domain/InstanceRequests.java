package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.InstanceCommand.AppCall;
import dev.slipway.instances.appinstance.domain.InstanceCommand.Deployment;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.launch.domain.UpgradePath;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.operations.domain.NewOperation;
import dev.slipway.operations.domain.NewOperation.Requester;
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

/** Decides on requests to change an existing instance. */
public final class InstanceRequests {
    private static final String UPDATE_ACTION = "apps.instance.update";

    private InstanceRequests() {}

    /** A requested declared operation; {@code input} is JSON text. */
    public record AppOperationRequest(String name, String action, Duration deadline, String input) {}

    /** Returns why the instance cannot be upgraded or rolled back now; null if it can. */
    public static @Nullable Refusal checkChangeable(LoadedInstance loaded) {
        var other = loaded.mutatingOperation();
        if (other != null) {
            return Refusal.operationInProgress(other);
        }
        return InstanceLifecycle.beginChange(loaded.instance()) instanceof InstanceDecision.Refused refused
                ? refused.refusal()
                : null;
    }

    /**
     * Decides on an upgrade of an instance that {@link #checkChangeable} accepts.
     *
     * @param launch the target version with its parameters
     */
    public static ChangeDecision upgrade(
            LoadedInstance loaded,
            Launch launch,
            LaunchEligibility eligibility,
            @Nullable ManifestSpec manifest,
            ResolvedConfig config,
            DecisionContext context) {
        var ineligible = InstanceLifecycle.checkEligibility(eligibility);
        if (ineligible != null) {
            return refused(ineligible.refusal());
        }
        var target = Objects.requireNonNull(manifest, "an eligible version has a manifest");
        var backend = Objects.requireNonNull(eligibility.version()).runtimeBackend();
        var unreachable = UpgradePath.checkUpgrade(
                loaded.instance().app(), "instance", launch.appVersion(), backend, target.upgrade());
        if (unreachable != null) {
            return refused(unreachable);
        }
        if (!config.problems().isEmpty()) {
            return refused(new Refusal("launch_parameters_invalid", "", Map.of(), config.problems()));
        }
        return changeVersion(
                loaded,
                Kind.UPGRADE,
                launch,
                target,
                config.text(),
                target.deadlines().upgrade(),
                context);
    }

    /** Returns why the instance cannot be rolled back; null if it can. {@code current} is the manifest that it runs. */
    public static @Nullable Refusal checkRollback(AppInstance instance, ManifestSpec current) {
        return UpgradePath.checkRollback(instance.app(), "instance", instance.previous(), current.rollback());
    }

    /**
     * Decides on a rollback that {@link #checkRollback} accepts. The previous version runs with its previous parameters; a deprecated version
     * is accepted, one that can no longer be launched is not.
     */
    public static ChangeDecision rollback(
            LoadedInstance loaded,
            Launch launch,
            LaunchEligibility eligibility,
            @Nullable ManifestSpec previous,
            ManifestSpec current,
            DecisionContext context) {
        var ineligible = InstanceLifecycle.checkEligibility(eligibility);
        if (ineligible != null) {
            return refused(ineligible.refusal());
        }
        return changeVersion(
                loaded,
                Kind.ROLLBACK,
                launch,
                Objects.requireNonNull(previous, "an eligible version has a manifest"),
                launch.config(),
                current.deadlines().rollback(),
                context);
    }

    private static ChangeDecision changeVersion(
            LoadedInstance loaded,
            Kind kind,
            Launch launch,
            ManifestSpec target,
            String config,
            Duration deadline,
            DecisionContext context) {
        var instance = loaded.instance();
        var begun = InstanceLifecycle.beginChange(instance);
        if (begun instanceof InstanceDecision.Refused refused) {
            return refused(refused.refusal());
        }
        var change = InstanceChange.Builder.of(instance);
        change.apply((InstanceDecision.Accepted) begun);
        var members = new ArrayList<>(
                loaded.members().stream().filter(Member::isCounted).toList());
        var added = InstanceLifecycle.provision(instance.ref(), target, Map.of(), members, context);
        change.addMembers(added);
        members.addAll(added);
        InstanceLifecycle.deploy(
                change,
                kind,
                UPDATE_ACTION,
                new Requester(launch.requestedByUserId(), launch.requestedByPrincipalId()),
                context.now().plus(deadline),
                new Deployment(
                        target.text(),
                        config,
                        members,
                        launch.appVersion(),
                        instance.app().version()),
                "{\"config\":" + config + "}",
                context);
        return change.accepted();
    }

    /** Returns the operation that already deletes the instance; null if none does. */
    public static @Nullable UUID findDeletion(LoadedInstance loaded) {
        return loaded.open().stream()
                .filter(operation -> operation.kind() == Kind.DELETE)
                .map(Operation::id)
                .findFirst()
                .orElse(null);
    }

    public static boolean isDeletable(AppInstance instance) {
        return instance.status() != Status.DELETING && instance.status() != Status.DELETED;
    }

    /** Deletes an instance; a deletion waits for nothing, so the open operations are canceled. */
    public static InstanceChange delete(LoadedInstance loaded, Requester requester, DecisionContext context) {
        var change = InstanceChange.Builder.of(loaded.instance());
        delete(change, loaded.open(), requester, null, context);
        return change.build();
    }

    /** As {@link #delete}, by the platform on behalf of the user who launched the instance; {@code input} is the reason, as JSON text. */
    public static InstanceChange stop(LoadedInstance loaded, String input, DecisionContext context) {
        var instance = loaded.instance();
        var change = InstanceChange.Builder.of(instance);
        var requester = new Requester(instance.requestedByUserId(), instance.requestedByPrincipalId());
        delete(change, loaded.open(), requester, input, context);
        return change.build();
    }

    static void delete(
            InstanceChange.Builder change,
            List<Operation> open,
            Requester requester,
            @Nullable String input,
            DecisionContext context) {
        cancelAll(change, open, "The instance is being deleted.", context);
        if (InstanceLifecycle.delete(change.current(), context.now()) instanceof InstanceDecision.Accepted deleting) {
            change.apply(deleting);
        }
        var instance = change.current();
        var operationId = context.newId();
        var commandId = context.newId();
        var deadline = context.now().plusSeconds(instance.lifecycleSettings().deleteSeconds());
        change.send(InstanceCommand.delete(commandId, instance, operationId, deadline));
        var operation =
                NewOperation.ofKind(Kind.DELETE, operationId, "apps.instance.delete", requester, deadline, commandId);
        change.open(input == null ? operation : operation.withInput(input), context);
    }

    public static ChangeDecision forceDelete(LoadedInstance loaded, String reason, DecisionContext context) {
        var decision = InstanceLifecycle.forceDelete(loaded.instance(), reason, context.now());
        if (decision instanceof InstanceDecision.Refused refused) {
            return refused(refused.refusal());
        }
        var change = InstanceChange.Builder.of(loaded.instance());
        var accepted = (InstanceDecision.Accepted) decision;
        if (!accepted.events().isEmpty()) {
            change.apply(accepted);
            cancelAll(change, loaded.open(), "The deletion of the instance was forced: " + reason, context);
            change.deleteCommands();
        }
        return change.accepted();
    }

    private static void cancelAll(
            InstanceChange.Builder change, List<Operation> open, String reason, DecisionContext context) {
        open.forEach(
                operation -> change.update(operation, OperationLifecycle.supersede(operation, reason, context.now())));
    }

    /**
     * Cancels an operation. A command is sent to the adapter in any case, because a command that it has not reported on may still be on the topic.
     */
    public static ChangeDecision cancel(LoadedInstance loaded, DecisionContext context) {
        var operation = Objects.requireNonNull(loaded.operation());
        var change = InstanceChange.Builder.of(loaded.instance());
        if (operation.cancelCommandId() != null && !operation.status().isEnded()) {
            return change.accepted();
        }
        var commandId = context.newId();
        var decision = OperationLifecycle.cancel(
                operation, commandId, "Canceled before an adapter accepted it.", context.now());
        if (decision instanceof OperationDecision.Refused refused) {
            return refused(Refusal.of(refused.code(), refused.message()));
        }
        change.send(InstanceCommand.cancel(
                commandId,
                loaded.instance(),
                operation.id(),
                operation.deadlineAt(),
                Objects.requireNonNull(operation.commandId(), "every operation has a command")));
        var accepted = (OperationDecision.Accepted) decision;
        change.update(operation, accepted);
        if (operation.kind() == Kind.MEMBER && accepted.next().status().isEnded()) {
            MemberRequests.settle(change, loaded, accepted.next(), context);
        }
        return change.accepted();
    }

    /** Returns why the instance cannot run a declared operation; null if it can. */
    public static @Nullable Refusal checkRunning(AppInstance instance) {
        return instance.status() == Status.RUNNING
                ? null
                : notRunning(instance, "Operations can be run only while the instance is running.");
    }

    /** Runs a declared operation on an instance that {@link #checkRunning} accepts. */
    public static InstanceChange runAppOperation(
            AppInstance instance, AppOperationRequest request, Requester requester, DecisionContext context) {
        var change = InstanceChange.Builder.of(instance);
        var operationId = context.newId();
        var commandId = context.newId();
        var deadline = context.now().plus(request.deadline());
        change.send(InstanceCommand.operate(
                commandId, instance, operationId, deadline, new AppCall(request.name(), request.input())));
        change.open(
                new NewOperation(
                        operationId,
                        Kind.DECLARED,
                        request.name(),
                        request.action(),
                        requester,
                        deadline,
                        commandId,
                        request.input(),
                        null,
                        null,
                        null),
                context);
        return change.build();
    }

    static Refusal notRunning(AppInstance instance, String rule) {
        return Refusal.of(
                "instance_state_conflict", rule + " It is " + instance.status().text() + ".");
    }

    private static ChangeDecision refused(Refusal refusal) {
        return new ChangeDecision.Refused(refusal);
    }
}
