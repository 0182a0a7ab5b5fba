package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Something that happened to an instance; {@code sequence} numbers its events without gaps. */
public record InstanceEvent(Kind kind, long sequence, Instant at) {

    /** The events that metering knows. */
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

        /** The kind by its name on the topic; null for one that says nothing about running time. */
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
