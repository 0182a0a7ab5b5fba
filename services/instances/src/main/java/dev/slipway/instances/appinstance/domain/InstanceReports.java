package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.member.domain.MemberLifecycle;
import dev.slipway.instances.member.domain.MembersDecision;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.operations.domain.NewOperation.Requester;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationLifecycle;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** Decides on the reports of runtime adapters, and on operations that are past their deadline. */
public final class InstanceReports {
    private static final Duration DELETION_RETRY = Duration.ofMinutes(1);

    private InstanceReports() {}

    public static ChangeDecision apply(LoadedInstance loaded, AdapterReport report, DecisionContext context) {
        var instance = loaded.instance();
        var now = context.now();
        var generation = report.generation();
        var change = InstanceChange.Builder.of(instance);
        return switch (report.type()) {
            case ACCEPTED -> update(change, loaded, current -> OperationLifecycle.reportAccepted(current, now));
            case PROGRESS -> update(change, loaded, current -> report.applyProgress(current, now));
            case DEPLOYING ->
                apply(
                        change,
                        loaded,
                        InstanceLifecycle.reportDeploying(instance, generation, report.runtimeState(), now),
                        current -> report.applyProgress(current, now));
            case RUNNING ->
                report.target() != null
                        ? applyTarget(change, loaded, report, context)
                        : apply(
                                change,
                                loaded,
                                InstanceLifecycle.reportRunning(instance, generation, report.runtimeState(), now),
                                current -> report.applyRunning(current, now));
            case FAILED -> applyFailed(change, loaded, report, context);
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

    /** If the failed launch's manifest says so, the instance is deleted on behalf of the user who launched it. */
    private static ChangeDecision applyFailed(
            InstanceChange.Builder change, LoadedInstance loaded, AdapterReport report, DecisionContext context) {
        var now = context.now();
        var operation = loaded.operation();
        var launchFailed = operation != null
                && operation.kind() == Kind.CREATE
                && !operation.status().isEnded()
                && !report.isOutdated(loaded.instance().generation());
        var decision = apply(
                change,
                loaded,
                InstanceLifecycle.reportFailed(loaded.instance(), report.generation(), report.reasonText(), now),
                current -> report.applyFailed(current, now));
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
            InstanceChange.Builder change, LoadedInstance loaded, AdapterReport report, DecisionContext context) {
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
            InstanceChange.Builder change, LoadedInstance loaded, AdapterReport report, DecisionContext context) {
        var operation = loaded.operation();
        if (operation == null || operation.kind() == Kind.CREATE || operation.kind() == Kind.DELETE) {
            return new ChangeDecision.Refused(AdapterReport.refuseResult());
        }
        var ended = report.applyResult(operation, context.now());
        switch (operation.kind()) {
            case MEMBER -> {
                if (!report.isOutdated(loaded.instance().generation())
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

    /** If one member's state is refused, the whole report is. */
    private static ChangeDecision applyMembers(
            InstanceChange.Builder change, LoadedInstance loaded, AdapterReport report, DecisionContext context) {
        if (report.isOutdated(loaded.instance().generation())) {
            return change.accepted();
        }
        var decision =
                MemberLifecycle.reportAll(loaded.members(), report.members(), MemberRequests::notFound, context.now());
        if (decision instanceof MembersDecision.Refused refused) {
            return new ChangeDecision.Refused(refused.refusal());
        }
        var next = ((MembersDecision.Accepted) decision).next();
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
