package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Decides how an event changes the running time of its instance. */
public final class RunningTime {
    private RunningTime() {}

    /** A change to the stored running time. */
    public sealed interface Change {
        /** This event or a later one was applied before: nothing is written, not even the sequence. */
        record AlreadyCounted() implements Change {}

        /** The event neither starts nor stops the instance. */
        record Unchanged() implements Change {}

        record Started(Instant at) implements Change {}

        record Stopped(Instant at) implements Change {}
    }

    public static Change apply(MeterState meterState, MeteredInstanceEvent event) {
        if (event.sequence() <= meterState.lastSequence()) {
            return new Change.AlreadyCounted();
        }
        return switch (event.kind()) {
            case REQUESTED, DEPLOYING -> new Change.Unchanged();
            case RUNNING -> meterState.runningSince() == null ? new Change.Started(event.at()) : new Change.Unchanged();
            // Deleting ends the run, not deleted: the tenant does not pay for the time that a deletion takes.
            case FAILED, DELETING, DELETED -> stop(meterState.runningSince(), event.at());
        };
    }

    private static Change stop(@Nullable Instant since, Instant at) {
        if (since == null) {
            return new Change.Unchanged();
        }
        // Two processes with different clocks may have set the times; a negative duration counts as zero.
        return new Change.Stopped(at.isBefore(since) ? since : at);
    }
}
