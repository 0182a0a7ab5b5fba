package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

/** The result of a transition of a shared runtime. */
public sealed interface RuntimeTransition {
    /** The runtime after the transition; {@code event} is null if nothing changed that others need to know. */
    record Accepted(SharedRuntime next, @Nullable SharedRuntimeEvent event) implements RuntimeTransition {}

    /** The transition is not possible. */
    record Refused(Refusal refusal) implements RuntimeTransition {}
}
