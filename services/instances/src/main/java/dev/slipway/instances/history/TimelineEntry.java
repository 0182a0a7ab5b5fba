package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** An event as it was kept; {@code actor} is JSON text, and null where nobody acted. */
record TimelineEntry(
        long sequence,
        UUID eventId,
        String eventType,
        Instant occurredAt,
        String correlationId,
        @Nullable String actor,
        JsonNode payload) {}
