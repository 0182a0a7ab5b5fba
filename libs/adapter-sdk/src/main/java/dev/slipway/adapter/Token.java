package dev.slipway.adapter;

import java.time.Instant;

/** A token for one task, or for the adapter itself. It is kept in memory only, and shows itself nowhere. */
record Token(String value, String commandId, Instant expiresAt) {
    /** A report has to reach the broker while its token is valid. */
    static final int MARGIN_SECONDS = 30;

    boolean serves(String task, Instant now) {
        return commandId.equals(task) && now.plusSeconds(MARGIN_SECONDS).isBefore(expiresAt);
    }

    @Override
    public String toString() {
        return "Token[for " + commandId + "]";
    }
}
