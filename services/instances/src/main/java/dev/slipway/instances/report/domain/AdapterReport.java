package dev.slipway.instances.report.domain;

import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.MemberReport;
import dev.slipway.operations.domain.Operation;
import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.OperationBlockers;
import dev.slipway.operations.domain.OperationDecision;
import dev.slipway.operations.domain.OperationLifecycle;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.operations.domain.ReportType;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * A report of a runtime adapter on an instance or a shared runtime; which of the nullable parts it has depends on its type.
 *
 * @param runtimeState JSON text: the state to store with the subject
 * @param status the result of an operation
 * @param output JSON text: the output of an operation
 * @param invalidOutput why the output does not match its schema; null if it does
 * @param target the version that the subject runs if an upgrade or a rollback succeeded
 */
public record AdapterReport(
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
        @Nullable VersionChange target) {

    /** Returns whether the report is on a command that a later one replaced. */
    public boolean isOutdated(int currentGeneration) {
        return generation < currentGeneration;
    }

    /** Returns the reason of a failure; empty if the adapter gave none. */
    public String reasonText() {
        return Objects.requireNonNullElse(reason, "");
    }

    public OperationDecision.Accepted applyProgress(Operation operation, Instant now) {
        var progress = OperationBlockers.merge(operation.progress(), percent, message, blockers);
        return OperationLifecycle.reportProgress(operation, progress, now);
    }

    /** A launch succeeds when its subject runs; other operations wait for their result. */
    public OperationDecision.Accepted applyRunning(Operation operation, Instant now) {
        return operation.kind() == Kind.CREATE
                ? OperationLifecycle.reportSucceeded(operation, null, now)
                : OperationLifecycle.reportAccepted(operation, now);
    }

    /** A launch or a deletion fails with its subject; other operations wait for their result. */
    public OperationDecision.Accepted applyFailed(Operation operation, Instant now) {
        return operation.kind() == Kind.CREATE || operation.kind() == Kind.DELETE
                ? OperationLifecycle.reportFailed(operation, reasonText(), now)
                : OperationLifecycle.reportAccepted(operation, now);
    }

    /** Ends an operation with the reported result. */
    public OperationDecision.Accepted applyResult(Operation operation, Instant now) {
        if (invalidOutput != null) {
            return OperationLifecycle.reportFailed(operation, invalidOutput, now);
        }
        return OperationLifecycle.reportResult(
                operation,
                Objects.requireNonNull(status),
                output,
                Objects.requireNonNullElse(reason, "The adapter gave no reason."),
                now);
    }

    /** Returns the refusal of a result that is reported for a launch, a deletion or no operation. */
    public static Refusal refuseResult() {
        return Refusal.invalid("event_type", "does not end a launch or a deletion: report running, failed or deleted");
    }
}
