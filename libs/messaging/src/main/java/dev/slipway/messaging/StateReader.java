package dev.slipway.messaging;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.common.TopicPartition;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.function.Consumer;

/** Follows a compacted topic of one partition from its beginning, for a model in memory. */
public final class StateReader {
    private static final Logger LOG = LoggerFactory.getLogger(StateReader.class);
    private static final Duration POLL = Duration.ofMillis(250);

    private final Vertx vertx;
    private final Context context;
    private final KafkaSettings kafka;
    private final TopicPartition partition;
    private final Consumer<Incoming> model;
    private final Promise<Void> caughtUp = Promise.promise();
    private @Nullable KafkaConsumer<String, byte[]> consumer;
    private boolean stopping;
    private long end = -1;

    public StateReader(Vertx vertx, KafkaSettings kafka, String topic, Consumer<Incoming> model) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.kafka = kafka;
        this.partition = new TopicPartition(kafka.topic(topic), 0);
        this.model = model;
    }

    /** Done when all that was in the topic at the start is in the model. */
    public Future<Void> start() {
        return Consumers.make(vertx, kafka.consumer()).compose(made -> {
            consumer = made;
            return made.assign(partition)
                    .compose(ok -> made.seekToBeginning(partition))
                    .compose(ok -> made.endOffsets(partition))
                    .compose(last -> {
                        end = last;
                        context.runOnContext(ignored -> poll(made));
                        return caughtUp.future();
                    });
        });
    }

    public Future<Void> stop() {
        stopping = true;
        var current = consumer;
        return current == null ? Future.succeededFuture() : current.close();
    }

    private void poll(KafkaConsumer<String, byte[]> from) {
        if (stopping) {
            return;
        }
        from.poll(POLL)
                .compose(polled -> {
                    for (var record : polled.records()) {
                        if (record.value() == null) {
                            continue; // a tombstone: a model lets go of what has ended by itself
                        }
                        try {
                            model.accept(Incoming.of(record, kafka));
                        } catch (RuntimeException e) {
                            // Passing over it would leave a model that is wrong and looks fresh.
                            return from.seek(partition, record.offset()).compose(ok -> Future.<Void>failedFuture(e));
                        }
                    }
                    return caughtUp.future().isComplete()
                            ? Future.<Void>succeededFuture()
                            : from.position(partition).map(at -> {
                                if (at >= end) {
                                    caughtUp.tryComplete();
                                }
                                return null;
                            });
                })
                .onComplete(done -> {
                    if (done.failed() && !stopping) {
                        LOG.atWarn()
                                .addKeyValue("topic", partition.getTopic())
                                .setCause(done.cause())
                                .log("cannot follow a state topic; tries again");
                        vertx.setTimer(500, timer -> poll(from));
                    } else {
                        context.runOnContext(ignored -> poll(from));
                    }
                });
    }
}
