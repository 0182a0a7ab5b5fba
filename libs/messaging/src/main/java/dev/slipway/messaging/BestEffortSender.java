package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Sends items that may be lost, without blocking the caller.
 *
 * <p>Items are buffered briefly and encoded on the sending thread, so that many of them share a record. While the broker is unavailable the
 * buffer fills up; items that do not fit are dropped and counted.
 */
public final class BestEffortSender<T> {
    private static final Logger LOG = LoggerFactory.getLogger(BestEffortSender.class);
    private static final int BUFFER_SIZE = 10_000;
    private static final int BATCH_SIZE = 250;
    private static final long SEND_INTERVAL_MS = 50;

    private final KafkaSettings kafka;
    private final Function<List<T>, List<OutgoingRecord>> encode;
    private final KafkaProducer<String, byte[]> producer;
    private final BlockingQueue<T> buffer = new ArrayBlockingQueue<>(BUFFER_SIZE);
    private final AtomicLong droppedCount = new AtomicLong();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor thread;

    public BestEffortSender(KafkaSettings kafka, String name, Function<List<T>, List<OutgoingRecord>> encode) {
        this.kafka = kafka;
        this.encode = encode;
        this.producer = new KafkaProducer<>(kafka.bestEffortProducer());
        this.thread = new ScheduledThreadPoolExecutor(
                1,
                task -> {
                    var created = new Thread(task, "slipway-" + name);
                    created.setDaemon(true);
                    return created;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    public void offer(T item) {
        if (!buffer.offer(item)) {
            droppedCount.incrementAndGet();
        } else if (!drainScheduled.get() && drainScheduled.compareAndSet(false, true)) {
            var unused = thread.schedule(this::drain, SEND_INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
    }

    public long droppedCount() {
        return droppedCount.get();
    }

    /** Sends the buffered items unless the broker is unavailable, then stops in the background. */
    public void stop() {
        thread.execute(() -> {
            drain();
            producer.close(Duration.ofSeconds(1));
        });
        thread.shutdown();
    }

    private void drain() {
        drainScheduled.set(false); // first: an item that arrives from now on schedules the next drain
        var batch = new ArrayList<T>(BATCH_SIZE);
        while (buffer.drainTo(batch, BATCH_SIZE) > 0) {
            send(batch);
            batch.clear();
        }
    }

    private void send(List<T> batch) {
        var count = batch.size();
        try {
            for (var record : encode.apply(batch)) {
                var sent = producer.send(KafkaSender.record(kafka, record), (metadata, e) -> {
                    if (e != null) {
                        droppedCount.addAndGet(count);
                    }
                });
                if (sent.isCancelled()) {
                    droppedCount.addAndGet(count);
                }
            }
        } catch (RuntimeException e) { // a batch that cannot be encoded or sent must not stop the following ones
            LOG.atWarn()
                    .addKeyValue("items", count)
                    .setCause(e)
                    .log("dropped best-effort records after a send failure");
            droppedCount.addAndGet(count);
        }
    }
}
