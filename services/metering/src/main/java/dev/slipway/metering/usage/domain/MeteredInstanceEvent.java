package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** An event of an instance; {@code sequence} is gap-free per instance. */
public record MeteredInstanceEvent(Kind kind, long sequence, Instant at) {

    /** The event types that metering consumes. */
    public enum Kind {
        REQUESTED,
        DEPLOYING,
        RUNNING,
        FAILED,
        DELETING,
        DELETED;

        public boolean changesRunningTime() {
            return this != REQUESTED && this != DEPLOYING;
        }

        /** Returns null for an event type that does not affect running time. */
        public static @Nullable Kind of(String eventType) {
            return switch (eventType) {
                case "apps.instance.requested" -> REQUESTED;
                case "apps.instance.deploying" -> DEPLOYING;
                case "apps.instance.running" -> RUNNING;
                case "apps.instance.failed" -> FAILED;
                case "apps.instance.deleting" -> DELETING;
                case "apps.instance.deleted" -> DELETED;
                default -> null;
            };
        }
    }
}
