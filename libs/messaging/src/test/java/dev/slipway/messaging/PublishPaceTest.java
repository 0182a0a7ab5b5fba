package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Collections;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class PublishPaceTest {
    private static final OutboxRow ROW =
            new OutboxRow(1, new UUID(0, 1), "test.thing", "topic", "key", Instant.EPOCH, "c", null, new byte[0]);

    private final PublishPace pace = new PublishPace();
    private long nowNanos = System.nanoTime();

    @Test
    void delay_isZero_whenFewEventsArrive() {
        assertThat(delayMs(15, 1)).isZero();
    }

    @Test
    void delay_isZero_whenEventsArriveSlowly() {
        assertThat(delayMs(100, 1_000)).isZero();
    }

    @Test
    void delay_isZero_whenBatchIsFull() {
        assertThat(delayMs(OutboxReader.BATCH_SIZE, 1)).isZero();
    }

    @Test
    void delay_isPositive_whenEventsArriveFast() {
        assertThat(delayMs(100, 10)).isPositive();
    }

    private long delayMs(int rows, long sinceLastReadMs) {
        pace.onRead(nowNanos);
        nowNanos += sinceLastReadMs * 1_000_000;
        pace.onRead(nowNanos);
        var scan = new OutboxWatermark().beginScan();
        return pace.delayMs(new OutboxReader.Batch(Collections.nCopies(rows, ROW), scan));
    }
}
