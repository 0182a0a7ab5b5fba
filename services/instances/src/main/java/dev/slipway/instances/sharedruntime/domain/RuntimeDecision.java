package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.operations.domain.Refusal;

/** The result of a decision on a shared runtime and everything that belongs to it. */
public sealed interface RuntimeDecision {
    record Accepted(SharedRuntimeChange change) implements RuntimeDecision {}

    record Refused(Refusal refusal) implements RuntimeDecision {}
}
