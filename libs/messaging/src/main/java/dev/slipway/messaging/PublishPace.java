package dev.slipway.messaging;

/**
 * Delays the next read while events arrive fast, so that the following ones share a request instead of costing one each.
 *
 * <p>The rate decides, not the batch size: after a stall batches are large too, but their events have waited long enough.
 */
final class PublishPace {
    private static final double FAST_PER_MS = 1.2;
    private static final int MIN_ROWS = 16;
    private static final long GATHER_MS = 40;

    private long lastReadNanos = System.nanoTime();
    private double sinceLastReadMs;

    void onRead(long nowNanos) {
        sinceLastReadMs = (nowNanos - lastReadNanos) / 1e6;
        lastReadNanos = nowNanos;
    }

    /** Returns the pause before the next read after this batch. */
    long delayMs(OutboxReader.Batch batch) {
        var rows = batch.rows().size();
        var fast = rows >= MIN_ROWS && !batch.isFull() && rows >= FAST_PER_MS * sinceLastReadMs;
        return fast ? GATHER_MS : 0;
    }
}
