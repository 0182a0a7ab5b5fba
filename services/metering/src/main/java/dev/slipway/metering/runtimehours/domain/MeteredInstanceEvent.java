package dev.slipway.metering.runtimehours.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** An event of an app instance or a shared runtime; {@code sequence} is gap-free per resource. */
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
            return ofSuffix("apps.instance.", eventType);
        }

        /** Returns null for an event type that does not affect the running time of the controller of a shared runtime. */
        public static @Nullable Kind ofRuntime(String eventType) {
            return ofSuffix("apps.shared_runtime.", eventType);
        }

        private static @Nullable Kind ofSuffix(String prefix, String eventType) {
            return switch (eventType.startsWith(prefix) ? eventType.substring(prefix.length()) : "") {
                case "requested" -> REQUESTED;
                case "deploying" -> DEPLOYING;
                case "running" -> RUNNING;
                case "failed" -> FAILED;
                case "deleting" -> DELETING;
                case "deleted" -> DELETED;
                default -> null;
            };
        }
    }
}
