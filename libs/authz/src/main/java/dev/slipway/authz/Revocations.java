package dev.slipway.authz;

import com.fasterxml.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The revoked tokens and credentials, by id. Expired revocations are deleted once a minute, because the tokens that they affect have
 * expired too.
 */
final class Revocations {
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    private final Map<UUID, Instant> expiryById = new ConcurrentHashMap<>();
    private Instant sweptAt = Instant.EPOCH;

    /** Applies a record of authz.revocation. Ids of tokens and of credentials are both UUIDv7 and do not collide. */
    void apply(JsonNode payload) {
        expiryById.put(
                UUID.fromString(payload.path("id").asText()),
                Instant.parse(payload.path("expires_at").asText()));
    }

    boolean contains(UUID id) {
        return expiryById.containsKey(id);
    }

    int size() {
        return expiryById.size();
    }

    /** Deletes expired revocations, one minute late for clocks that are behind. Called with every heartbeat. */
    void deleteExpired(Instant now) {
        if (now.isAfter(sweptAt.plus(SWEEP_INTERVAL))) {
            sweptAt = now;
            expiryById.values().removeIf(end -> end.plus(SWEEP_INTERVAL).isBefore(now));
        }
    }

    /** Returns the id that a token is revoked by: its jti, or a UUID derived from it if it is not a UUID. */
    static UUID revocationId(String jti) {
        try {
            if (jti.length() == 36) {
                return UUID.fromString(jti);
            }
        } catch (IllegalArgumentException e) {
            // External issuers may use any text.
        }
        return UUID.nameUUIDFromBytes(jti.getBytes(StandardCharsets.UTF_8));
    }
}
