package dev.slipway.contract;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code catalog.registry.snapshot}, the current state of a registry entry.
 *
 * @param body the fields of its kind without id, version and lifecycle
 */
public record RegistrySnapshot(
        RegistryKind kind,
        String entryId,
        int entryVersion,
        RegistryLifecycle lifecycle,
        long revision,
        ObjectNode body) {

    private static final String EVENT_TYPE = "catalog.registry.snapshot";

    /** Returns the entry of an event; null if the event is not about an entry of the given kind. */
    public static @Nullable RegistrySnapshot ofKind(Envelope event, RegistryKind kind) {
        // compared as text: a newer catalog may have more kinds
        return event.eventType().equals(EVENT_TYPE)
                        && event.payload().path("kind").asText().equals(kind.text())
                ? Json.toRecord(event.payload(), RegistrySnapshot.class)
                : null;
    }
}
