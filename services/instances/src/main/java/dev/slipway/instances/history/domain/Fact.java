package dev.slipway.instances.history.domain;

import java.time.Instant;
import java.util.Map;

/** An event of an instance, and what it says of it: JSON texts by the names that the instance's fields have for callers. */
public record Fact(String eventType, long sequence, Instant at, Map<String, String> says) {
    /** Whether it happened to the instance itself: what happens to its operations and members raises its sequence alone. */
    boolean isOfItself() {
        return eventType.startsWith("apps.instance.");
    }
}
