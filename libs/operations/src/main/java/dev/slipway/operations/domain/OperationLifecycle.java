package dev.slipway.operations.domain;

import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Kind;
import dev.slipway.operations.domain.Operation.Progress;
import dev.slipway.operations.domain.Operation.Status;
import dev.slipway.operations.domain.OperationDecision.Accepted;
import dev.slipway.operations.domain.OperationDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The state machine of operations: accepted → running → succeeded, failed or canceled. An ended operation never changes. */
public final class OperationLifecycle {
    private static final String NOT_CANCELABLE = "operation_not_cancelable";

    private OperationLifecycle() {}

    public static Operation accept(NewOperation requested, SubjectRef subject, String correlationId, Instant now) {
        return new Operation(
                requested.id(),
                subject,
                requested.kind(),
                requested.name(),
                requested.action(),
                Status.ACCEPTED,
                Progress.NONE,
                requested.input(),
                null,
                null,
                requested.commandId(),
                null,
                requested.memberId(),
                requested.fromVersion(),
                requested.toVersion(),
                requested.requester().userId(),
                requested.requester().principalId(),
                correlationId,
                now,
                null,
                null,
                requested.deadlineAt(),
                requested.deadlineAt(),
                requested.attribution());
    }

    /** Records that the adapter accepted the command; clears its blockers. */
    public static Accepted reportAccepted(Operation current, Instant now) {
        return switch (current.status()) {
            case ACCEPTED ->
                new Accepted(current.withStatus(Status.RUNNING, Progress.NONE, now), OperationEvent.RUNNING);
            case RUNNING, SUCCEEDED, FAILED, CANCELED -> unchanged(current);
        };
    }

    public static Accepted reportProgress(Operation current, Progress progress, Instant now) {
        return switch (current.status()) {
            case ACCEPTED -> new Accepted(current.withStatus(Status.RUNNING, progress, now), OperationEvent.RUNNING);
            case RUNNING ->
                current.progress().equals(progress)
                        ? unchanged(current)
                        : new Accepted(current.withStatus(Status.RUNNING, progress, now), OperationEvent.PROGRESSED);
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

    /** Applies the result that an adapter reported. */
    public static Accepted reportResult(
            Operation current, Status status, @Nullable String output, String reason, Instant now) {
        return switch (status) {
            case SUCCEEDED -> reportSucceeded(current, output, now);
            case CANCELED -> reportCanceled(current, reason, now);
            case FAILED, ACCEPTED, RUNNING -> reportFailed(current, reason, now);
        };
    }

    /** Cancels the operation because a deletion replaces it. */
    public static Accepted supersede(Operation current, String reason, Instant now) {
        return end(current, Status.CANCELED, OperationEvent.CANCELED, null, reason, now);
    }

    /** As {@link #supersede}, with the command that tells the adapter to stop. */
    public static Accepted supersede(Operation current, UUID cancelCommandId, String reason, Instant now) {
        return current.status().isEnded()
                ? unchanged(current)
                : supersede(current.withCancelCommand(cancelCommandId), reason, now);
    }

    /**
     * Cancels an operation. If no adapter has accepted it yet, it ends at once; otherwise the adapter receives
     * {@code cancelCommandId} and reports how the operation ended.
     */
    public static OperationDecision cancel(Operation current, UUID cancelCommandId, String reason, Instant now) {
        if (current.status().isEnded()) {
            return new Refused(
                    NOT_CANCELABLE, "The operation has already ended: it " + describe(current.status()) + ".");
        }
        return switch (current.kind()) {
            case DELETE ->
                new Refused(
                        NOT_CANCELABLE,
                        "A deletion cannot be canceled: parts of the "
                                + current.subject().kind().noun() + " may already be deleted.");
            case DETACH ->
                new Refused(
                        NOT_CANCELABLE,
                        "A detachment cannot be canceled: workers of the project may already be removed.");
            case CREATE ->
                new Refused(
                        NOT_CANCELABLE,
                        "A launch cannot be canceled: delete the "
                                + current.subject().kind().noun() + " instead; that also cancels this operation.");
            case UPGRADE, ROLLBACK, MEMBER, DECLARED ->
                current.status() == Status.ACCEPTED
                        ? reportCanceled(current.withCancelCommand(cancelCommandId), reason, now)
                        : requestCancel(current, cancelCommandId, now);
        };
    }

    private static OperationDecision requestCancel(Operation current, UUID cancelCommandId, Instant now) {
        if (current.cancelCommandId() != null) {
            return unchanged(current);
        }
        var canceling = new Progress(
                current.progress().percent(),
                "Cancellation requested; waiting for the adapter.",
                current.progress().blockers());
        return new Accepted(
                current.withStatus(current.status(), canceling, now).withCancelCommand(cancelCommandId),
                OperationEvent.PROGRESSED);
    }

    /**
     * Ends an operation at its deadline. A deletion stays open: its blocker is recorded, and it is looked at again after {@code retryAfter}.
     * An operation whose cancellation was requested counts as canceled.
     */
    public static Accepted expire(Operation current, Blocker blocker, Duration retryAfter, Instant now) {
        if (current.status().isEnded() || now.isBefore(current.dueAt())) {
            return unchanged(current);
        }
        if (current.kind() == Kind.DELETE) {
            var blocked = new Progress(
                    current.progress().percent(), current.progress().message(), List.of(blocker));
            var later = current.withStatus(current.status(), blocked, now).withDueAt(now.plus(retryAfter));
            return new Accepted(later, current.progress().equals(blocked) ? null : OperationEvent.PROGRESSED);
        }
        return current.cancelCommandId() == null
                ? reportFailed(current, "deadline_exceeded: " + blocker.message(), now)
                : reportCanceled(current, "Canceled; the adapter did not report how far it got.", now);
    }

    private static Accepted end(
            Operation current,
            Status end,
            OperationEvent event,
            @Nullable String output,
            @Nullable String reason,
            Instant now) {
        return switch (current.status()) {
            case ACCEPTED, RUNNING -> new Accepted(current.withResult(end, output, reason, now), event);
            case SUCCEEDED, FAILED, CANCELED -> unchanged(current);
        };
    }

    private static String describe(Status status) {
        return status == Status.CANCELED ? "was canceled" : status.text();
    }

    private static Accepted unchanged(Operation current) {
        return new Accepted(current, null);
    }
}
