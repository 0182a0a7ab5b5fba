package dev.slipway.adapter;

import java.util.Locale;

/**
 * What a command waits for.
 *
 * @param code for machines: lower case, with underscores
 * @param message for the person who waits
 */
public record Blocker(String code, String message, Turn turn) {

    /** Who has to do something. */
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
