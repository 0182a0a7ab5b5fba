package dev.slipway.operations.domain;

import org.jspecify.annotations.Nullable;

/** The result of a transition of an operation. */
public sealed interface OperationDecision {
    /** The operation after the transition; {@code event} is null if the transition is not worth one. */
    record Accepted(Operation next, @Nullable OperationEvent event) implements OperationDecision {}

    /** The transition is not possible; the code is of the error catalogue. */
    record Refused(String code, String message) implements OperationDecision {}
}
