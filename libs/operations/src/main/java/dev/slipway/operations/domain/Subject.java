package dev.slipway.operations.domain;

import java.util.UUID;

/**
 * A resource that operations run on, as its commands and events describe it. The lock of its row guards its operations, commands and events.
 *
 * @param generation incremented by each command that replaces the ones before it; reports on an older generation change nothing
 * @param sequence number of the last event; gap-free
 */
public record Subject(SubjectRef ref, String appSlug, String backend, int generation, long sequence) {

    public UUID id() {
        return ref.id();
    }

    public Subject withSequence(long next) {
        return new Subject(ref, appSlug, backend, generation, next);
    }
}
