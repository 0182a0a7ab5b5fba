package dev.slipway.operations.domain;

import dev.slipway.contract.domain.ResourceState;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** An adapter of a runtime backend with its last heartbeat; the nullable fields are null before the first one. */
public record RegisteredAdapter(
        UUID id,
        String runtimeBackend,
        String displayName,
        ResourceState state,
        @Nullable Instant lastSeenAt,
        @Nullable Instant startedAt,
        @Nullable String software,
        @Nullable Integer instances,
        @Nullable Integer waiting) {
    /** Adapters send a heartbeat every ten seconds; after three missed ones an adapter counts as unavailable. */
    public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(30);

    public boolean isAlive(Instant now) {
        return state == ResourceState.ACTIVE && lastSeenAt != null && lastSeenAt.isAfter(now.minus(HEARTBEAT_TIMEOUT));
    }
}
