package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sends records reliably without blocking the event loop.
 *
 * <p>After a failure the producer is closed with its unsent records, and nothing is sent until it is closed. Some producer failures are
 * permanent and cannot be distinguished from temporary ones, and a record of the old producer must not arrive after its repetition.
 */
public final class KafkaSender {
    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final Map<String, Object> config;
    /** Created on demand on a worker thread, because a producer resolves the broker addresses when it is created. */
    private @Nullable Future<KafkaProducer<String, byte[]>> producer;
    /** Completes when all earlier producers are closed. */
    private Future<Void> previousClosed = Future.succeededFuture();

    private boolean closed;

    /** A record to send. The topic has no prefix; a null value is a tombstone. */
    public record OutgoingRecord(String topic, String key, byte @Nullable [] value, Map<String, String> headers) {}

    /** Creates a sender that keeps the order and waits for the broker without a limit. */
    public KafkaSender(Vertx vertx, KafkaSettings kafka) {
        this(vertx, kafka, kafka.relayProducer());
    }

    private KafkaSender(Vertx vertx, KafkaSettings kafka, Map<String, Object> config) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.config = config;
    }

    /** Creates a sender that gives up after the deadline, for records that expire, such as those with a token. */
    public static KafkaSender withDeadline(Vertx vertx, KafkaSettings kafka, Duration deadline) {
        return new KafkaSender(vertx, kafka, kafka.deadlineProducer(deadline));
    }

    /** Sends the records in order. Completes when the broker has acknowledged all of them; fails if one was not acknowledged. */
    public Future<Void> send(List<OutgoingRecord> records) {
        if (records.isEmpty()) {
            return Future.succeededFuture();
        }
        var current = producer();
        return current.compose(created -> send(created, records)).onFailure(e -> discard(current));
    }

    /** Closes the current producer without waiting for unacknowledged records. The next send uses a new one. */
    public synchronized void closeImmediately() {
        if (producer != null) {
            discard(producer);
        }
    }

    public synchronized Future<Void> close() {
        closed = true;
        return producer == null ? previousClosed : close(producer, Duration.ofSeconds(5));
    }

    private synchronized Future<KafkaProducer<String, byte[]>> producer() {
        if (closed) {
            return Future.failedFuture(new KafkaException("the sender is closed"));
        }
        if (producer == null) {
            producer = previousClosed.compose(ok -> vertx.executeBlocking(() -> new KafkaProducer<>(config), false));
        }
        return producer;
    }

    private synchronized void discard(Future<KafkaProducer<String, byte[]>> broken) {
        if (producer == broken) {
            producer = null;
            previousClosed = close(broken, Duration.ZERO);
        }
    }

    private Future<Void> close(Future<KafkaProducer<String, byte[]>> open, Duration timeout) {
        return open.<Void>compose(created -> vertx.executeBlocking(
                        () -> {
                            created.close(timeout);
                            return null;
                        },
                        false))
                .otherwiseEmpty(); // a producer that could not be created need not be closed
    }

    /** Signs and calls the producer on a worker thread, because it blocks until it has the metadata of the topic. */
    private Future<Void> send(KafkaProducer<String, byte[]> with, List<OutgoingRecord> records) {
        var promise = Promise.<Void>promise();
        var open = new AtomicInteger(records.size());
        var failure = new AtomicReference<Exception>();
        return vertx.executeBlocking(
                        () -> {
                            for (var record : kafka.keys().sign(records)) {
                                var sent = with.send(record(kafka, record), (metadata, e) -> {
                                    if (e != null) {
                                        failure.compareAndSet(null, e);
                                    }
                                    if (open.decrementAndGet() == 0) {
                                        finish(promise, failure.get());
                                    }
                                });
                                if (sent.isCancelled()) {
                                    throw new KafkaException("the producer is closed");
                                }
                            }
                            return null;
                        },
                        false)
                .compose(ok -> promise.future());
    }

    private static void finish(Promise<Void> promise, @Nullable Exception failure) {
        if (failure == null) {
            promise.complete();
        } else {
            promise.fail(failure);
        }
    }

    static ProducerRecord<String, byte[]> record(KafkaSettings kafka, OutgoingRecord record) {
        var headers = new RecordHeaders();
        record.headers().forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
        return new ProducerRecord<>(kafka.topic(record.topic()), null, record.key(), record.value(), headers);
    }
}
