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

/** Sends records that must arrive, without ever blocking an event loop. */
public final class KafkaSender {
    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final KafkaProducer<String, byte[]> producer;

    /** A record on its way out, without a value where the topic is to forget the key. The topic is without prefix. */
    public record Outgoing(String topic, String key, byte @Nullable [] value, Map<String, String> headers) {}

    /** Keeps order and waits for the broker as long as it takes. */
    public KafkaSender(Vertx vertx, KafkaSettings kafka) {
        this(vertx, kafka, kafka.relayProducer());
    }

    private KafkaSender(Vertx vertx, KafkaSettings kafka, Map<String, Object> config) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.producer = new KafkaProducer<>(config);
    }

    /** Gives up after the deadline: for records that are worth nothing later, such as those that carry a token. */
    public static KafkaSender timely(Vertx vertx, KafkaSettings kafka, Duration deadline) {
        return new KafkaSender(vertx, kafka, kafka.timelyProducer(deadline));
    }

    /** Sends in order; done when the broker has them all, failed when it does not have one. */
    public Future<Void> send(List<Outgoing> records) {
        var promise = Promise.<Void>promise();
        var open = new AtomicInteger(records.size());
        var failure = new AtomicReference<Exception>();
        if (records.isEmpty()) {
            return Future.succeededFuture();
        }
        // The producer may block for the broker's metadata, so it is called from a worker.
        return vertx.executeBlocking(
                        () -> {
                            for (var record : records) {
                                var sent = producer.send(record(kafka, record), (metadata, e) -> {
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

    /** Closes at once: what the broker has not confirmed is not waited for. */
    public Future<Void> abandon() {
        return close(Duration.ZERO);
    }

    public Future<Void> close() {
        return close(Duration.ofSeconds(5));
    }

    private Future<Void> close(Duration patience) {
        return vertx.executeBlocking(
                () -> {
                    producer.close(patience);
                    return null;
                },
                false);
    }

    static ProducerRecord<String, byte[]> record(KafkaSettings kafka, Outgoing record) {
        var headers = new RecordHeaders();
        record.headers().forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
        return new ProducerRecord<>(kafka.topic(record.topic()), null, record.key(), record.value(), headers);
    }
}
