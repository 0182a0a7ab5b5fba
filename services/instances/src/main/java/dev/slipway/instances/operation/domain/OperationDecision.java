package dev.slipway.instances.operation.domain;

import org.jspecify.annotations.Nullable;

/** What the lifecycle of operations answers to a command. */
public sealed interface OperationDecision {
    /** It is done: the operation after it, and what to announce; null if nothing happened that anybody has to hear of. */
    record Accepted(Operation next, @Nullable OperationEvent event) implements OperationDecision {}

    /** It is not done; the code is of the error catalogue. */
    record Refused(String code, String message) implements OperationDecision {}
}
