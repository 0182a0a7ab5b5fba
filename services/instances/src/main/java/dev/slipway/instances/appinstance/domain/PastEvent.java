package dev.slipway.instances.appinstance.domain;

import java.time.Instant;
import java.util.Map;

/** A stored event; {@code fields} are the fields of the instance that it sets, as JSON texts by their names in responses. */
public record PastEvent(String eventType, long sequence, Instant at, Map<String, String> fields) {
    /** Returns whether the event is the instance's own: operation and member events change only its sequence and generation. */
    public static boolean isInstanceEvent(String eventType) {
        return eventType.startsWith("apps.instance.");
    }

    boolean isInstanceEvent() {
        return isInstanceEvent(eventType);
    }
}
