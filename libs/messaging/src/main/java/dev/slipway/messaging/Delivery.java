package dev.slipway.messaging;

import dev.slipway.messaging.InboxConsumer.EventBatchHandler;
import dev.slipway.messaging.InboxConsumer.EventHandler;
import dev.slipway.messaging.InboxConsumer.PreparingHandler;
import dev.slipway.telemetry.Traces;
import io.vertx.core.Vertx;

import java.time.Duration;

/** The handler of a consumer, and how many records it gets at once. */
public final class Delivery {
    /** Small, because events that are applied one after another keep their transaction open. Larger batches are cheaper per event. */
    private static final int MAX_SEQUENTIAL_RECORDS = 200;

    private static final int MAX_BATCH_RECORDS = 1_000;
    /**
     * Records with many items are large, and all records of a poll are in memory. Enough for two transactions of records with some 50 items, so that
     * the next one is parsed while one is applied.
     */
    private static final int MAX_ITEM_RECORDS = 200;

    private final int maxRecords;
    private final Duration gather;
    private final PreparerFactory preparers;

    private interface PreparerFactory {
        BatchPreparer create(Vertx vertx, Traces traces, String consumer);
    }

    private Delivery(int maxRecords, Duration gather, PreparerFactory preparers) {
        this.maxRecords = maxRecords;
        this.gather = gather;
        this.preparers = preparers;
    }

    /** Delivers one event at a time. */
    public static Delivery ofEvents(EventHandler handler) {
        return new Delivery(
                MAX_SEQUENTIAL_RECORDS,
                Duration.ZERO,
                (vertx, traces, consumer) ->
                        BatchPreparer.ofPolls(vertx, new DeduplicatingHandler(vertx, consumer, traces, handler)));
    }

    /** Delivers all records of a poll at once; a record waits for others for up to {@code gather}. */
    public static Delivery ofBatches(Duration gather, EventBatchHandler handler) {
        return new Delivery(
                MAX_BATCH_RECORDS, gather, (vertx, traces, consumer) -> BatchPreparer.ofPolls(vertx, traces, handler));
    }

    /** Delivers records until they have {@code maxItems} items. */
    public static Delivery ofItems(int maxItems, PreparingHandler handler) {
        return new Delivery(
                MAX_ITEM_RECORDS,
                Duration.ZERO,
                (vertx, traces, consumer) -> BatchPreparer.ofItems(vertx, traces, handler, maxItems));
    }

    int maxRecords() {
        return maxRecords;
    }

    Duration gather() {
        return gather;
    }

    BatchPreparer preparer(Vertx vertx, Traces traces, String consumer) {
        return preparers.create(vertx, traces, consumer);
    }
}
