package dev.slipway.conformance;

import java.time.Duration;

/**
 * Timeouts of the kit.
 *
 * @param start for the first call of a started adapter
 * @param patience for expected reports and effects
 * @param settle for unexpected reports and effects
 * @param tokenLife lifetime of tokens in the scenario {@code slow}
 */
record Timeouts(Duration start, Duration patience, Duration settle, Duration tokenLife) {}
