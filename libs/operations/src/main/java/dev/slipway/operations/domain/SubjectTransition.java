package dev.slipway.operations.domain;

/** The result of a transition of a subject's state. */
public sealed interface SubjectTransition {
    /** The state after the transition. */
    record Changed(SubjectState next) implements SubjectTransition {}

    /** The transition is possible, and changes nothing. */
    record Unchanged() implements SubjectTransition {}

    /** The transition is not possible. */
    record Refused(Refusal refusal) implements SubjectTransition {}
}
