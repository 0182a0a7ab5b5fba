package dev.slipway.instances.member.domain;

/** What the lifecycle of members answers. */
public sealed interface MemberDecision {
    /** The member after it; the same as before where nothing changed. */
    record Accepted(Member next) implements MemberDecision {}

    /** It is not done; the code is of the error catalogue. */
    record Refused(String code, String message) implements MemberDecision {}
}
