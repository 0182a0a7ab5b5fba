package dev.slipway.instances.operation.domain;

import dev.slipway.instances.operation.domain.Operation.Blocker;
import dev.slipway.instances.operation.domain.Operation.Kind;
import dev.slipway.instances.operation.domain.Operation.Progress;
import dev.slipway.instances.operation.domain.Operation.Status;
import dev.slipway.instances.operation.domain.OperationDecision.Accepted;
import dev.slipway.instances.operation.domain.OperationDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The life of an operation: accepted → running → succeeded, failed or canceled. What has ended stays as it ended. */
public final class OperationLifecycle {
    private static final String NOT_CANCELABLE = "operation_not_cancelable";

    private OperationLifecycle() {}

    public static Operation accept(
            NewOperation asked, UUID appInstanceId, UUID orgId, UUID projectId, String correlationId, Instant now) {
        return new Operation(
                asked.id(),
                appInstanceId,
                orgId,
                projectId,
                asked.kind(),
                asked.name(),
                asked.action(),
                Status.ACCEPTED,
                Progress.NONE,
                asked.input(),
                null,
                null,
                asked.commandId(),
                null,
                asked.memberId(),
                asked.fromVersion(),
                asked.toVersion(),
                asked.requestedByUserId(),
                asked.requestedByPrincipalId(),
                correlationId,
                now,
                null,
                null,
                asked.deadlineAt(),
                asked.deadlineAt());
    }

    /** The adapter has it: what it waited for until now was the adapter. */
    public static Accepted reportTaken(Operation current, Instant now) {
        return switch (current.status()) {
            case ACCEPTED -> new Accepted(current.to(Status.RUNNING, Progress.NONE, now), OperationEvent.RUNNING);
            case RUNNING, SUCCEEDED, FAILED, CANCELED -> unchanged(current);
        };
    }

    public static Accepted reportProgress(Operation current, Progress made, Instant now) {
        return switch (current.status()) {
            case ACCEPTED -> new Accepted(current.to(Status.RUNNING, made, now), OperationEvent.RUNNING);
            case RUNNING ->
                current.progress().equals(made)
                        ? unchanged(current)
                        : new Accepted(current.to(Status.RUNNING, made, now), OperationEvent.PROGRESSED);
            case SUCCEEDED, FAILED, CANCELED -> unchanged(current);
        };
    }

    /** {@code output} is JSON text. */
    public static Accepted reportSucceeded(Operation current, @Nullable String output, Instant now) {
        return end(current, Status.SUCCEEDED, OperationEvent.SUCCEEDED, output, null, now);
    }

    public static Accepted reportFailed(Operation current, String reason, Instant now) {
        return end(current, Status.FAILED, OperationEvent.FAILED, null, reason, now);
    }

    public static Accepted reportCanceled(Operation current, String reason, Instant now) {
        return end(current, Status.CANCELED, OperationEvent.CANCELED, null, reason, now);
    }

    /** Something else takes its place. */
    public static Accepted supersede(Operation current, String reason, Instant now) {
        return end(current, Status.CANCELED, OperationEvent.CANCELED, null, reason, now);
    }

    /**
     * Somebody does not want it any more. One that its adapter never heard of ends at once; else the adapter is told, by
     * {@code cancelCommandId}, and says how it ended.
     */
    public static OperationDecision cancel(Operation current, UUID cancelCommandId, String reason, Instant now) {
        if (current.status().ended()) {
            return new Refused(NOT_CANCELABLE, "The operation has ended: it " + past(current.status()) + ".");
        }
        return switch (current.kind()) {
            case DELETE ->
                new Refused(NOT_CANCELABLE, "A deletion is not called off: part of the instance may be gone.");
            case CREATE ->
                new Refused(
                        NOT_CANCELABLE, "To call a launch off, delete the instance: that ends this operation, too.");
            case UPGRADE, ROLLBACK, MEMBER, DECLARED ->
                current.status() == Status.ACCEPTED
                        ? reportCanceled(current.canceledBy(cancelCommandId), reason, now)
                        : told(current, cancelCommandId, now);
        };
    }

    private static OperationDecision told(Operation current, UUID cancelCommandId, Instant now) {
        if (current.cancelCommandId() != null) {
            return unchanged(current);
        }
        var made = new Progress(
                current.progress().percent(),
                "Called off: the adapter is to stop.",
                current.progress().blockers());
        return new Accepted(
                current.to(current.status(), made, now).canceledBy(cancelCommandId), OperationEvent.PROGRESSED);
    }

    /**
     * Its time is over. A deletion goes on: it is said what it waits for, and it is looked at again later. What was called off and not
     * heard of since counts as called off.
     */
    public static Accepted expire(Operation current, Blocker waitsFor, Duration lookAgainAfter, Instant now) {
        if (current.status().ended() || now.isBefore(current.dueAt())) {
            return unchanged(current);
        }
        if (current.kind() == Kind.DELETE) {
            var made = new Progress(
                    current.progress().percent(), current.progress().message(), List.of(waitsFor));
            var later = current.to(current.status(), made, now).dueAgain(now.plus(lookAgainAfter));
            return new Accepted(later, current.progress().equals(made) ? null : OperationEvent.PROGRESSED);
        }
        return current.cancelCommandId() == null
                ? reportFailed(current, "deadline_exceeded: " + waitsFor.message(), now)
                : reportCanceled(current, "Called off; the adapter did not say how far it was.", now);
    }

    private static Accepted end(
            Operation current,
            Status end,
            OperationEvent event,
            @Nullable String output,
            @Nullable String reason,
            Instant now) {
        return switch (current.status()) {
            case ACCEPTED, RUNNING -> new Accepted(current.ended(end, output, reason, now), event);
            case SUCCEEDED, FAILED, CANCELED -> unchanged(current);
        };
    }

    private static String past(Status status) {
        return status == Status.CANCELED ? "was called off" : status.text();
    }

    private static Accepted unchanged(Operation current) {
        return new Accepted(current, null);
    }
}
