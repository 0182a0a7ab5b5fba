package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.Outgoing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Sends things that may be lost, for callers that may not wait: while the broker is away the buffer fills, and what finds no room is
 * dropped and counted. Things are gathered for a moment, so that many can go out in one record, made on the sending thread: the caller pays next
 * to nothing, and everyone downstream pays once for many.
 */
public final class LossySender<T> {
    private static final Logger LOG = LoggerFactory.getLogger(LossySender.class);
    private static final int BUFFERED = 10_000;
    private static final int MANY = 250;
    private static final long GATHER_MS = 50;

    private final KafkaSettings kafka;
    private final Function<List<T>, List<Outgoing>> encode;
    private final KafkaProducer<String, byte[]> producer;
    private final BlockingQueue<T> buffer = new ArrayBlockingQueue<>(BUFFERED);
    private final AtomicLong dropped = new AtomicLong();
    private final ScheduledExecutorService thread;

    public LossySender(KafkaSettings kafka, String name, Function<List<T>, List<Outgoing>> encode) {
        this.kafka = kafka;
        this.encode = encode;
        this.producer = new KafkaProducer<>(kafka.lossyProducer());
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            var made = new Thread(task, "slipway-" + name);
            made.setDaemon(true);
            return made;
        });
        var unused = thread.scheduleWithFixedDelay(this::drain, GATHER_MS, GATHER_MS, TimeUnit.MILLISECONDS);
    }

    public void offer(T thing) {
        if (!buffer.offer(thing)) {
            dropped.incrementAndGet();
        }
    }

    public long dropped() {
        return dropped.get();
    }

    /** Sends what is buffered, unless the broker is away, and ends by itself. */
    public void stop() {
        thread.execute(() -> {
            drain();
            producer.close(Duration.ofSeconds(1));
        });
        thread.shutdown();
    }

    private void drain() {
        var batch = new ArrayList<T>(MANY);
        while (buffer.drainTo(batch, MANY) > 0) {
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
                        dropped.addAndGet(count);
                    }
                });
                if (sent.isCancelled()) {
                    dropped.addAndGet(count);
                }
            }
        } catch (RuntimeException e) { // whatever is wrong with one record, the next ones go on
            LOG.atWarn().setCause(e).log("records that may be lost were lost");
            dropped.addAndGet(count);
        }
    }
}
