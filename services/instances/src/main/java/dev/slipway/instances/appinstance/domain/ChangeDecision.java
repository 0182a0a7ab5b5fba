package dev.slipway.instances.appinstance.domain;

import dev.slipway.operations.domain.Refusal;

/** The result of a decision on an instance and everything that belongs to it. */
public sealed interface ChangeDecision {
    record Accepted(InstanceChange change) implements ChangeDecision {}

    record Refused(Refusal refusal) implements ChangeDecision {}
}
