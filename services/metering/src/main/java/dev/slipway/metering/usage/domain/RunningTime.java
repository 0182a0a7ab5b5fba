package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Decides what an event does to the running time of its instance. */
public final class RunningTime {
    private RunningTime() {}

    /** What is to be written. */
    public sealed interface Change {
        /** The event was counted before, or a later one was: nothing is written, not even its number. */
        record AlreadyCounted() implements Change {}

        /** It neither starts nor stops anything. */
        record Unchanged() implements Change {}

        record Started(Instant at) implements Change {}

        record Stopped(Instant at) implements Change {}
    }

    public static Change on(Meter meter, InstanceEvent event) {
        if (event.sequence() <= meter.lastSequence()) {
            return new Change.AlreadyCounted();
        }
        return switch (event.kind()) {
            case REQUESTED, DEPLOYING -> new Change.Unchanged();
            case RUNNING -> meter.runningSince() == null ? new Change.Started(event.at()) : new Change.Unchanged();
            // Deleting ends it, not deleted: the tenant asked to stop, and how long that takes is not theirs to pay.
            case FAILED, DELETING, DELETED -> stopped(meter.runningSince(), event.at());
        };
    }

    private static Change stopped(@Nullable Instant since, Instant at) {
        if (since == null) {
            return new Change.Unchanged();
        }
        // Two events may be stamped by two clocks; time that ran backwards is no time.
        return new Change.Stopped(at.isBefore(since) ? since : at);
    }
}
