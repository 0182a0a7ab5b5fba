package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.Member.ObservedState;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.ReportType;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Decides on the reports of runtime adapters, and on operations that are past their deadline. */
public final class InstanceReports {
    private static final Duration DELETION_RETRY = Duration.ofMinutes(1);

    private InstanceReports() {}

    /**
     * A report; which of the nullable parts it has depends on its type.
     *
     * @param runtimeState JSON text: the state to store with the instance
     * @param status the result of an operation
     * @param output JSON text: the output of an operation
     * @param invalidOutput why the output does not match its schema; null if it does
     * @param target the version that the instance runs if an upgrade or a rollback succeeded
     */
    public record Report(
            ReportType type,
            int generation,
            String runtimeState,
            @Nullable String reason,
            @Nullable Integer percent,
            @Nullable String message,
            @Nullable List<Blocker> blockers,
            Operation.@Nullable Status status,
            @Nullable String output,
            @Nullable String invalidOutput,
            List<MemberReport> members,
            @Nullable VersionChange target) {}

    /** The reported state of a member; {@code detail} is JSON text, null if it is unchanged. */
    public record MemberReport(
            UUID memberId,
            int generation,
            ObservedState state,
            @Nullable String componentKey,
            @Nullable String detail,
            @Nullable String reason) {}

    /** Returns whether the report is on a command that a later one replaced. */
    public static boolean isOutdated(AppInstance instance, int generation) {
        return generation < instance.generation();
    }

    /**
     * Returns whether a report means that the instance runs the version that its operation leads to: the operation succeeded, or it ended
     * without success and the version runs nevertheless.
     *
     * @param runningVersion the version that a {@code running} report names; null if it names none
     */
    public static boolean runsTargetVersion(
            LoadedInstance loaded,
            ReportType type,
            int generation,
            @Nullable String runningVersion,
            Operation.@Nullable Status status) {
        var operation = loaded.operation();
        if (operation == null || operation.toVersion() == null || isOutdated(loaded.instance(), generation)) {
            return false;
        }
        if (type == ReportType.OPERATION) {
            return status == Operation.Status.SUCCEEDED;
        }
        var late = operation.status() == Operation.Status.FAILED || operation.status() == Operation.Status.CANCELED;
        return type == ReportType.RUNNING
                && late
                && (runningVersion == null || runningVersion.equals(operation.toVersion()));
    }

    public static ChangeDecision apply(LoadedInstance loaded, Report report, DecisionContext context) {
        var instance = loaded.instance();
        var now = context.now();
        var generation = report.generation();
        var reason = Objects.requireNonNullElse(report.reason(), "");
        var change = InstanceChange.Builder.of(instance);
        return switch (report.type()) {
            case ACCEPTED -> update(change, loaded, current -> OperationLifecycle.reportAccepted(current, now));
            case PROGRESS -> update(change, loaded, current -> progress(current, report, now));
            case DEPLOYING ->
                apply(
                        change,
                        loaded,
                        InstanceLifecycle.reportDeploying(instance, generation, report.runtimeState(), now),
                        current -> progress(current, report, now));
            case RUNNING ->
                report.target() != null
                        ? applyTarget(change, loaded, report, context)
                        : apply(
                                change,
                                loaded,
                                InstanceLifecycle.reportRunning(instance, generation, report.runtimeState(), now),
                                current -> current.kind() == Kind.CREATE
                                        ? OperationLifecycle.reportSucceeded(current, null, now)
                                        : OperationLifecycle.reportAccepted(current, now));
            case FAILED -> applyFailed(change, loaded, generation, reason, context);
            case DELETED ->
                apply(
                        change,
                        loaded,
                        InstanceLifecycle.reportDeleted(instance, generation, now),
                        current -> current.kind() == Kind.DELETE
                                ? OperationLifecycle.reportSucceeded(current, null, now)
                                : OperationLifecycle.reportAccepted(current, now));
            case OPERATION -> applyResult(change, loaded, report, context);
            case MEMBERS -> applyMembers(change, loaded, report, context);
            case USAGE -> change.accepted();
        };
    }

    private static OperationDecision.Accepted progress(Operation current, Report report, Instant now) {
        var progress =
                OperationBlockers.merge(current.progress(), report.percent(), report.message(), report.blockers());
        return OperationLifecycle.reportProgress(current, progress, now);
    }

    private static ChangeDecision apply(
            InstanceChange.Builder change,
            LoadedInstance loaded,
            InstanceDecision decision,
            Function<Operation, OperationDecision.Accepted> onOperation) {
        if (decision instanceof InstanceDecision.Refused refused) {
            return new ChangeDecision.Refused(refused.refusal());
        }
        change.apply((InstanceDecision.Accepted) decision);
        return update(change, loaded, onOperation);
    }

    private static ChangeDecision update(
            InstanceChange.Builder change,
            LoadedInstance loaded,
            Function<Operation, OperationDecision.Accepted> onOperation) {
        var operation = loaded.operation();
        if (operation != null) {
            change.update(operation, onOperation.apply(operation));
        }
        return change.accepted();
    }

    /** If the failed launch's manifest says so, the instance is deleted in the name of whoever launched it. */
    private static ChangeDecision applyFailed(
            InstanceChange.Builder change,
            LoadedInstance loaded,
            int generation,
            String reason,
            DecisionContext context) {
        var now = context.now();
        var operation = loaded.operation();
        var launchFailed = operation != null
                && operation.kind() == Kind.CREATE
                && !operation.status().isEnded()
                && !isOutdated(loaded.instance(), generation);
        var decision = apply(
                change,
                loaded,
                InstanceLifecycle.reportFailed(loaded.instance(), generation, reason, now),
                current -> current.kind() == Kind.CREATE || current.kind() == Kind.DELETE
                        ? OperationLifecycle.reportFailed(current, reason, now)
                        : OperationLifecycle.reportAccepted(current, now));
        return decision instanceof ChangeDecision.Accepted && launchFailed ? reap(change, loaded, context) : decision;
    }

    private static ChangeDecision reap(InstanceChange.Builder change, LoadedInstance loaded, DecisionContext context) {
        var instance = loaded.instance();
        if (instance.lifecycleSettings().reap()) {
            var ended = Objects.requireNonNull(loaded.operation()).id();
            var others = loaded.open().stream()
                    .filter(operation -> !operation.id().equals(ended))
                    .toList();
            var requester = new Requester(instance.requestedByUserId(), instance.requestedByPrincipalId());
            InstanceRequests.delete(change, others, requester, null, context);
        }
        return change.accepted();
    }

    private static ChangeDecision applyTarget(
            InstanceChange.Builder change, LoadedInstance loaded, Report report, DecisionContext context) {
        var decision = InstanceLifecycle.reportUpgraded(
                loaded.instance(),
                report.generation(),
                Objects.requireNonNull(loaded.operation()).id(),
                Objects.requireNonNull(report.target()),
                report.runtimeState(),
                context.now());
        if (decision instanceof InstanceDecision.Refused refused) {
            return new ChangeDecision.Refused(refused.refusal());
        }
        change.apply((InstanceDecision.Accepted) decision);
        return change.accepted();
    }

    private static ChangeDecision applyResult(
            InstanceChange.Builder change, LoadedInstance loaded, Report report, DecisionContext context) {
        var operation = loaded.operation();
        if (operation == null || operation.kind() == Kind.CREATE || operation.kind() == Kind.DELETE) {
            return new ChangeDecision.Refused(Refusal.invalid(
                    "event_type", "does not end a launch or a deletion: report running, failed or deleted"));
        }
        var ended = result(operation, report, context.now());
        switch (operation.kind()) {
            case MEMBER -> {
                if (!isOutdated(loaded.instance(), report.generation())
                        && !operation.status().isEnded()) {
                    change.update(operation, ended);
                    MemberRequests.settle(change, loaded, ended.next(), context);
                }
            }
            case UPGRADE, ROLLBACK -> {
                if (report.target() != null
                        && applyTarget(change, loaded, report, context) instanceof ChangeDecision.Refused refused) {
                    return refused;
                }
                change.update(operation, ended);
            }
            // An upgrade may have begun since: the result of a declared operation counts in any generation.
            case DECLARED, CREATE, DELETE, DETACH -> change.update(operation, ended);
        }
        return change.accepted();
    }

    private static OperationDecision.Accepted result(Operation operation, Report report, Instant now) {
        if (report.invalidOutput() != null) {
            return OperationLifecycle.reportFailed(operation, report.invalidOutput(), now);
        }
        return OperationLifecycle.reportResult(
                operation,
                Objects.requireNonNull(report.status()),
                report.output(),
                Objects.requireNonNullElse(report.reason(), "The adapter gave no reason."),
                now);
    }

    /** If one member's state is refused, the whole report is. */
    private static ChangeDecision applyMembers(
            InstanceChange.Builder change, LoadedInstance loaded, Report report, DecisionContext context) {
        if (isOutdated(loaded.instance(), report.generation())) {
            return change.accepted();
        }
        var next = new LinkedHashMap<UUID, Member>();
        loaded.members().forEach(member -> next.put(member.id(), member));
        for (var reported : report.members()) {
            var current = next.get(reported.memberId());
            if (current == null) {
                return new ChangeDecision.Refused(MemberLifecycle.notFound(reported.memberId()));
            }
            var decision = MemberLifecycle.report(
                    current,
                    reported.generation(),
                    reported.state(),
                    reported.componentKey(),
                    reported.detail(),
                    reported.reason(),
                    context.now());
            if (decision instanceof MemberDecision.Refused refused) {
                return new ChangeDecision.Refused(Refusal.of(refused.code(), refused.message()));
            }
            next.put(current.id(), ((MemberDecision.Accepted) decision).next());
        }
        var operation = loaded.operation();
        if (operation != null) {
            change.update(operation, OperationLifecycle.reportAccepted(operation, context.now()));
        }
        var operationId = operation == null ? null : operation.id();
        loaded.members()
                .forEach(member ->
                        change.updateMember(member, Objects.requireNonNull(next.get(member.id())), operationId));
        return change.accepted();
    }

    /** Ends an operation that is past its deadline; a deletion is resent instead, and stays open. */
    public static InstanceChange expire(LoadedInstance loaded, Blocker blocker, DecisionContext context) {
        var operation = Objects.requireNonNull(loaded.operation());
        var change = InstanceChange.Builder.of(loaded.instance());
        var expired = OperationLifecycle.expire(operation, blocker, DELETION_RETRY, context.now());
        if (expired.next().equals(operation)) {
            return change.build();
        }
        if (operation.kind() == Kind.CREATE) {
            var reason = Objects.requireNonNull(expired.next().reason());
            if (InstanceLifecycle.expireLaunch(loaded.instance(), reason, context.now())
                    instanceof InstanceDecision.Accepted failed) {
                change.apply(failed);
            }
        }
        change.update(operation, expired);
        switch (operation.kind()) {
            case CREATE -> {
                var unused = reap(change, loaded, context);
            }
            case DELETE -> change.resend(Objects.requireNonNull(operation.commandId()));
            case MEMBER -> MemberRequests.settle(change, loaded, expired.next(), context);
            case UPGRADE, ROLLBACK, DECLARED, DETACH -> {
                // Nothing else depends on them.
            }
        }
        return change.build();
    }
}
