package dev.slipway.iam.token.domain;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/** Decides whether an adapter gets a token for a command. */
public final class TaskRules {
    /** Usage that remains, and reports that the adapter sends again after a restart, follow the end of a command. */
    private static final Duration LAST_REPORTS = Duration.ofHours(24);

    private TaskRules() {}

    /** The reason for a refused token. */
    public enum Refusal {
        COMMAND_UNKNOWN,
        COMMAND_ENDED
    }

    /**
     * Returns why no token is issued, or null if one is.
     *
     * @param known whether the instance or shared runtime has this command
     * @param endedAt when the command ended; null if it has not
     */
    public static @Nullable Refusal check(boolean known, @Nullable Instant endedAt, Instant now) {
        if (!known) {
            return Refusal.COMMAND_UNKNOWN;
        }
        return endedAt != null && endedAt.plus(LAST_REPORTS).isBefore(now) ? Refusal.COMMAND_ENDED : null;
    }
}
