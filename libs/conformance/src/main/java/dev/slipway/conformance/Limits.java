package dev.slipway.conformance;

import java.time.Duration;

/**
 * How long the kit waits.
 *
 * @param start for the first call of an adapter that was started
 * @param patience for what has to come
 * @param settle for what must not come
 * @param tokenLife of the tokens where they are to end before the work does
 */
record Limits(Duration start, Duration patience, Duration settle, Duration tokenLife) {}
