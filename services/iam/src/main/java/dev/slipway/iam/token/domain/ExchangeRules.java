package dev.slipway.iam.token.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** Decides whether a credential with a correct secret is exchanged for a token. */
public final class ExchangeRules {
    private ExchangeRules() {}

    /** The reason for a refused exchange. */
    public enum Refusal {
        CREDENTIAL_REVOKED,
        CREDENTIAL_EXPIRED,
        OWNER_INACTIVE,
        PROJECT_SUSPENDED,
        SCOPE_EXCEEDED
    }

    /**
     * Returns why the exchange is refused, or null if it is allowed.
     *
     * @param requested the actions that the token should have; null for all that are allowed
     */
    public static @Nullable Refusal check(
            @Nullable Instant revokedAt,
            @Nullable Instant expiresAt,
            boolean ownerActive,
            boolean projectSuspended,
            List<String> allowed,
            @Nullable List<String> requested,
            Instant now) {
        if (revokedAt != null) {
            return Refusal.CREDENTIAL_REVOKED;
        }
        if (expiresAt != null && !expiresAt.isAfter(now)) {
            return Refusal.CREDENTIAL_EXPIRED;
        }
        if (!ownerActive) {
            return Refusal.OWNER_INACTIVE;
        }
        if (projectSuspended) {
            return Refusal.PROJECT_SUSPENDED;
        }
        return requested != null && !allowed.containsAll(requested) ? Refusal.SCOPE_EXCEEDED : null;
    }
}
