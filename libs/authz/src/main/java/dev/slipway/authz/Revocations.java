package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tokens and credentials that are no longer good. Looked up by id, so that a look costs the same however many there are; those past
 * their end are dropped once a minute, for what they end has ended by itself.
 */
final class Revocations {
    private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);

    private final Map<UUID, Instant> endOf = new ConcurrentHashMap<>();
    private Instant sweptAt = Instant.EPOCH;

    /** Takes a record of authz.revocation. The ids of tokens and of credentials are made alike and never meet. */
    void apply(JsonNode payload) {
        endOf.put(
                UUID.fromString(payload.path("id").asText()),
                Instant.parse(payload.path("expires_at").asText()));
    }

    boolean has(UUID id) {
        return endOf.containsKey(id);
    }

    int size() {
        return endOf.size();
    }

    /** Called with every heartbeat; keeps an ended one for a minute more, for clocks that are behind. */
    void tick(Instant now) {
        if (now.isAfter(sweptAt.plus(SWEEP_EVERY))) {
            sweptAt = now;
            endOf.values().removeIf(end -> end.plus(SWEEP_EVERY).isBefore(now));
        }
    }

    /** What a token is revoked by: its jti, or where that is no UUID, one made from it. */
    static UUID idOf(String jti) {
        try {
            if (jti.length() == 36) {
                return UUID.fromString(jti);
            }
        } catch (IllegalArgumentException e) {
            // Falls through: other issuers name their tokens as they like.
        }
        return UUID.nameUUIDFromBytes(jti.getBytes(StandardCharsets.UTF_8));
    }
}
