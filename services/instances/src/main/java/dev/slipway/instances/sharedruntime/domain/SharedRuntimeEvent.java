package dev.slipway.instances.sharedruntime.domain;

import java.util.UUID;

/** The events of a shared runtime. */
public sealed interface SharedRuntimeEvent {
    record Requested(boolean createsOperator) implements SharedRuntimeEvent {}

    record Deploying() implements SharedRuntimeEvent {}

    record Running() implements SharedRuntimeEvent {}

    record Failed() implements SharedRuntimeEvent {}

    record Deleting() implements SharedRuntimeEvent {}

    record Deleted() implements SharedRuntimeEvent {}

    record Upgraded(String fromVersion, UUID operationId) implements SharedRuntimeEvent {}
}
