package dev.slipway.adapter;

import dev.slipway.contract.domain.TextEnum;

/**
 * A condition that a command waits for.
 *
 * @param code machine-readable code in snake_case
 * @param message explanation for the user
 */
public record Blocker(String code, String message, Turn turn) {

    /** The party that has to act. */
    public enum Turn implements TextEnum {
        ADAPTER,
        PLATFORM,
        PROJECT
    }

    public static Blocker ofAdapter(String code, String message) {
        return new Blocker(code, message, Turn.ADAPTER);
    }
}
