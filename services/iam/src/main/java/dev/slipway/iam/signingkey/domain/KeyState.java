package dev.slipway.iam.signingkey.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** The state of a signing key. */
public enum KeyState {
    /** Slipway signs tokens with it. */
    SIGNING,
    /** Published, and going to sign soon. */
    NEXT,
    /** Its tokens are accepted, and no new ones are signed here. */
    VERIFYING,
    EXPIRED,
    REVOKED;

    /**
     * Returns the state of a key.
     *
     * @param signsFrom null for a key of an external issuer
     * @param isCurrent whether it is the key that this process signs with
     */
    public static KeyState of(
            @Nullable Instant signsFrom,
            Instant expiresAt,
            @Nullable Instant revokedAt,
            boolean isCurrent,
            Instant now) {
        if (revokedAt != null) {
            return REVOKED;
        }
        if (now.isAfter(expiresAt)) {
            return EXPIRED;
        }
        if (signsFrom != null && isCurrent) {
            return SIGNING;
        }
        return signsFrom != null && signsFrom.isAfter(now) ? NEXT : VERIFYING;
    }
}
