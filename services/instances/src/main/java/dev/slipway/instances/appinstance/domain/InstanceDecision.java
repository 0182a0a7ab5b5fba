package dev.slipway.instances.appinstance.domain;

import dev.slipway.operations.domain.Refusal;

import java.util.List;

/** The result of a transition of an instance. */
public sealed interface InstanceDecision {
    /** The instance after the transition and its events; without events nothing changed that others need to know. */
    record Accepted(AppInstance next, List<InstanceEvent> events) implements InstanceDecision {}

    /** The transition is not possible. */
    record Refused(Refusal refusal) implements InstanceDecision {
        public String code() {
            return refusal.code();
        }
    }
}
