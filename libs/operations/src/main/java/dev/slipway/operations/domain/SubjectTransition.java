package dev.slipway.operations.domain;

/** The result of a transition of a subject's state. */
public sealed interface SubjectTransition {
    /** The state after the transition; the same state if nothing changes. */
    record Accepted(SubjectState next) implements SubjectTransition {}

    /** The transition is not possible. */
    record Refused(Refusal refusal) implements SubjectTransition {}
}
