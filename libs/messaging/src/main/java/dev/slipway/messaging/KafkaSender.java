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
 * Sends records that must arrive, without ever blocking an event loop. After a failure the producer is thrown away with all that it still
 * holds, and nothing is sent until it is gone: some of its failures are for good, and it does not say which; and a record of it must not
 * come after the one that is sent in its place.
 */
public final class KafkaSender {
    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final Map<String, Object> config;
    /** Made when it is needed, by a worker: it looks the brokers' names up. */
    private @Nullable Future<KafkaProducer<String, byte[]>> producer;
    /** Of the producers before it. */
    private Future<Void> gone = Future.succeededFuture();

    private boolean closed;

    /** A record on its way out, without a value where the topic is to forget the key. The topic is without prefix. */
    public record Outgoing(String topic, String key, byte @Nullable [] value, Map<String, String> headers) {}

    /** Keeps order and waits for the broker as long as it takes. */
    public KafkaSender(Vertx vertx, KafkaSettings kafka) {
        this(vertx, kafka, kafka.relayProducer());
    }

    private KafkaSender(Vertx vertx, KafkaSettings kafka, Map<String, Object> config) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.config = config;
    }

    /** Gives up after the deadline: for records that are worth nothing later, such as those that carry a token. */
    public static KafkaSender timely(Vertx vertx, KafkaSettings kafka, Duration deadline) {
        return new KafkaSender(vertx, kafka, kafka.timelyProducer(deadline));
    }

    /** Sends in order; done when the broker has them all, failed when it does not have one. */
    public Future<Void> send(List<Outgoing> records) {
        if (records.isEmpty()) {
            return Future.succeededFuture();
        }
        var by = producer();
        return by.compose(made -> send(made, records)).onFailure(e -> discard(by));
    }

    /** Closes at once what is being sent by: what the broker has not confirmed is not waited for. */
    public synchronized void abandon() {
        if (producer != null) {
            discard(producer);
        }
    }

    public synchronized Future<Void> close() {
        closed = true;
        return producer == null ? gone : close(producer, Duration.ofSeconds(5));
    }

    private synchronized Future<KafkaProducer<String, byte[]>> producer() {
        if (closed) {
            return Future.failedFuture(new KafkaException("the sender is closed"));
        }
        if (producer == null) {
            producer = gone.compose(ok -> vertx.executeBlocking(() -> new KafkaProducer<>(config), false));
        }
        return producer;
    }

    private synchronized void discard(Future<KafkaProducer<String, byte[]>> broken) {
        if (producer == broken) {
            producer = null;
            gone = close(broken, Duration.ZERO);
        }
    }

    private Future<Void> close(Future<KafkaProducer<String, byte[]>> open, Duration patience) {
        return open.<Void>compose(made -> vertx.executeBlocking(
                        () -> {
                            made.close(patience);
                            return null;
                        },
                        false))
                .otherwiseEmpty(); // one that could not be made need not be closed
    }

    /** The producer may block for the broker's metadata, so it is called from a worker. */
    private Future<Void> send(KafkaProducer<String, byte[]> by, List<Outgoing> records) {
        var promise = Promise.<Void>promise();
        var open = new AtomicInteger(records.size());
        var failure = new AtomicReference<Exception>();
        return vertx.executeBlocking(
                        () -> {
                            for (var record : records) {
                                var sent = by.send(record(kafka, record), (metadata, e) -> {
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

    static ProducerRecord<String, byte[]> record(KafkaSettings kafka, Outgoing record) {
        var headers = new RecordHeaders();
        record.headers().forEach((name, value) -> headers.add(name, value.getBytes(StandardCharsets.UTF_8)));
        return new ProducerRecord<>(kafka.topic(record.topic()), null, record.key(), record.value(), headers);
    }
}
