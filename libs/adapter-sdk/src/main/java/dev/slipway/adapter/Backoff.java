package dev.slipway.adapter;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before the next attempt, counted from 1: doubling, bounded, and not all at the same moment. */
final class Backoff {
    private Backoff() {}

    static long ms(int attempt, long firstMs, long maxMs) {
        var delay = Math.min(maxMs, firstMs << Math.min(attempt - 1, 20));
        return delay - ThreadLocalRandom.current().nextLong(delay / 4 + 1);
    }
}
