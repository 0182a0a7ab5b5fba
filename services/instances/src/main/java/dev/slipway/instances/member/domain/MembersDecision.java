package dev.slipway.instances.member.domain;

import dev.slipway.operations.domain.Refusal;

import java.util.Map;
import java.util.UUID;

/** The result of a report on several members. */
public sealed interface MembersDecision {
    /** All members after the report, by id. */
    record Accepted(Map<UUID, Member> next) implements MembersDecision {}

    /** The state of a member is refused, and so is the whole report. */
    record Refused(Refusal refusal) implements MembersDecision {}
}
