package dev.slipway.operations.domain;

import org.jspecify.annotations.Nullable;

/**
 * A change of an operation.
 *
 * @param event null if the change is not worth an event
 */
public record OperationUpdate(
        Operation before, Operation next, @Nullable OperationEvent event) {

    public static OperationUpdate of(Operation before, OperationDecision.Accepted decision) {
        return new OperationUpdate(before, decision.next(), decision.event());
    }

    public boolean isChange() {
        return !next.equals(before);
    }

    /** Returns whether this update ends the operation, so that none of its commands is resent. */
    public boolean endsOperation() {
        return next.status().isEnded() && !before.status().isEnded();
    }
}
