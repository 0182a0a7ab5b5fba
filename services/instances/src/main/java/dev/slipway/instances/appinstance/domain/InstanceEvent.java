package dev.slipway.instances.appinstance.domain;

import java.util.UUID;

/** The events of an instance. */
public sealed interface InstanceEvent {
    record Requested() implements InstanceEvent {}

    record Deploying() implements InstanceEvent {}

    record Running() implements InstanceEvent {}

    record Failed(String reason) implements InstanceEvent {}

    record Deleting() implements InstanceEvent {}

    record Deleted() implements InstanceEvent {}

    record Upgraded(String fromVersion, UUID operationId) implements InstanceEvent {}

    record ForceDeleted(String reason) implements InstanceEvent {}
}
