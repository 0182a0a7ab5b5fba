package dev.slipway.instances.appinstance.domain;

import java.time.Instant;
import java.util.UUID;
import java.util.function.Supplier;

/** The time, the correlation id and the ids that a decision uses. */
public record DecisionContext(Instant now, String correlationId, Supplier<UUID> ids) {
    public UUID newId() {
        return ids.get();
    }
}
