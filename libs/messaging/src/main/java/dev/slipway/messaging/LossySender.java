package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.Outgoing;
import org.apache.kafka.clients.producer.KafkaProducer;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Sends records that may be lost, for callers that may not wait: while the broker is away the buffer fills, and what finds no room is
 * dropped and counted. A record is made on the sending thread, so that the caller pays next to nothing.
 */
public final class LossySender {
    private static final int BUFFERED = 10_000;

    private final KafkaSettings kafka;
    private final KafkaProducer<String, byte[]> producer;
    private final BlockingQueue<Supplier<Outgoing>> buffer = new ArrayBlockingQueue<>(BUFFERED);
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean stopping;

    public LossySender(KafkaSettings kafka, String name) {
        this.kafka = kafka;
        this.producer = new KafkaProducer<>(kafka.lossyProducer());
        var thread = new Thread(this::run, "slipway-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    public void offer(Supplier<Outgoing> record) {
        if (!buffer.offer(record)) {
            dropped.incrementAndGet();
        }
    }

    public long dropped() {
        return dropped.get();
    }

    /** Sends what is buffered, unless the broker is away, and ends by itself. */
    public void stop() {
        stopping = true;
    }

    private void run() {
        try {
            while (!stopping || !buffer.isEmpty()) {
                var next = buffer.poll(100, TimeUnit.MILLISECONDS);
                if (next != null) {
                    send(next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            producer.close(Duration.ofSeconds(1));
        }
    }

    private void send(Supplier<Outgoing> record) {
        try {
            var sent = producer.send(KafkaSender.record(kafka, record.get()), (metadata, e) -> {
                if (e != null) {
                    dropped.incrementAndGet();
                }
            });
            if (sent.isCancelled()) {
                dropped.incrementAndGet();
            }
        } catch (RuntimeException e) { // whatever is wrong with one record, the next ones go on
            dropped.incrementAndGet();
        }
    }
}
