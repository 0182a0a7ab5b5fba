package dev.slipway.adapter;

import java.util.concurrent.ThreadLocalRandom;

/** Computes exponential retry delays with an upper limit and jitter. Attempts are counted from 1. */
final class Backoff {
    private Backoff() {}

    static long delayMs(int attempt, long firstMs, long maxMs) {
        var delay = Math.min(maxMs, firstMs << Math.min(attempt - 1, 20));
        return delay - ThreadLocalRandom.current().nextLong(delay / 4 + 1);
    }
}
