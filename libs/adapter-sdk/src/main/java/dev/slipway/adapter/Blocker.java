package dev.slipway.adapter;

import java.util.Locale;

/**
 * A condition that a command waits for.
 *
 * @param code machine-readable code in snake_case
 * @param message explanation for the user
 */
public record Blocker(String code, String message, Turn turn) {

    /** The party that has to act. */
    public enum Turn {
        ADAPTER,
        PLATFORM,
        PROJECT;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Blocker ofAdapter(String code, String message) {
        return new Blocker(code, message, Turn.ADAPTER);
    }
}
