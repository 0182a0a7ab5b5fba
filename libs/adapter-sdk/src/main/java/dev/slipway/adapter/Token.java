package dev.slipway.adapter;

import java.time.Instant;

/** A token for one command or for the adapter itself. Kept in memory only and excluded from logs. */
record Token(String value, String commandId, Instant expiresAt) {
    /** A report has to reach the broker before its token expires. */
    static final int MARGIN_SECONDS = 30;

    boolean isValidFor(String task, Instant now) {
        return commandId.equals(task) && now.plusSeconds(MARGIN_SECONDS).isBefore(expiresAt);
    }

    @Override
    public String toString() {
        return "Token[for " + commandId + "]";
    }
}
