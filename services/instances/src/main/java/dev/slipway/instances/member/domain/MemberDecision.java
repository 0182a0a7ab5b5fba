package dev.slipway.instances.member.domain;

/** The result of a transition of a member. */
public sealed interface MemberDecision {
    /** The member after the transition; equal to the one before if nothing changed. */
    record Accepted(Member next) implements MemberDecision {}

    /** The transition is not possible; the code is of the error catalogue. */
    record Refused(String code, String message) implements MemberDecision {}
}
