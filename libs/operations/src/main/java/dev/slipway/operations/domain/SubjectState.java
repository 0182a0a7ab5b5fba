package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * The part of a subject that requests and reports change.
 *
 * @param runtimeState JSON text whose meaning is defined by the app
 * @param generation incremented by each command that replaces the ones before it; reports on an older generation change nothing
 * @param sequence number of the last event; gap-free, assigned by the store
 */
public record SubjectState(
        Status status,
        String runtimeState,
        @Nullable String failureReason,
        int generation,
        long sequence,
        Instant updatedAt,
        @Nullable Instant deletedAt) {

    /** The states of a subject. */
    public enum Status implements TextEnum {
        REQUESTED,
        DEPLOYING,
        RUNNING,
        FAILED,
        DELETING,
        DELETED
    }

    /** Returns the state of a subject that has just been requested. */
    public static SubjectState initial(Instant now) {
        return new SubjectState(Status.REQUESTED, "{}", null, 1, 0, now, null);
    }

    public SubjectState withSequence(long next) {
        return new SubjectState(status, runtimeState, failureReason, generation, next, updatedAt, deletedAt);
    }

    SubjectState withNextGeneration() {
        return new SubjectState(status, runtimeState, failureReason, generation + 1, sequence, updatedAt, deletedAt);
    }

    SubjectState withStatus(Status next, String nextRuntimeState, @Nullable String reason, Instant now) {
        return new SubjectState(
                next,
                nextRuntimeState,
                reason,
                next == Status.DELETING ? generation + 1 : generation,
                sequence,
                now,
                next == Status.DELETED ? now : deletedAt);
    }
}
