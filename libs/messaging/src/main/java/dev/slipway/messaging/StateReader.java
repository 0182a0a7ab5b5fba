package dev.slipway.messaging;

import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.common.TopicPartition;
import io.vertx.kafka.client.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;

/** Reads a compacted topic with one partition from its beginning and keeps an in-memory model up to date. */
public final class StateReader {
    private static final Logger LOG = LoggerFactory.getLogger(StateReader.class);
    private static final Duration CATCH_UP_POLL_TIMEOUT = Duration.ofMillis(250);
    /** Data ends a poll at once, so only the cost of an idle reader depends on this. */
    private static final Duration IDLE_POLL_TIMEOUT = Duration.ofSeconds(20);

    private static final long RETRY_MS = 500;

    private final Vertx vertx;
    private final Context context;
    private final KafkaSettings kafka;
    private final TopicPartition partition;
    private final RecordVerifier verifier;
    private final Consumer<ReceivedRecord> model;
    private final Promise<Void> caughtUp = Promise.promise();
    private @Nullable KafkaConsumer<String, byte[]> consumer;
    private boolean stopping;
    private long end = -1;

    public StateReader(Vertx vertx, KafkaSettings kafka, String topic, Consumer<ReceivedRecord> model) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.kafka = kafka;
        this.partition = new TopicPartition(kafka.topic(topic), 0);
        this.verifier = new RecordVerifier(vertx, kafka.keys());
        this.model = model;
    }

    /** Completes when the model has all records that were in the topic at the time of the call. */
    public Future<Void> start() {
        return ConsumerFactory.create(vertx, kafka.consumer()).compose(created -> {
            consumer = created;
            return created.assign(partition)
                    .compose(ok -> created.seekToBeginning(partition))
                    .compose(ok -> created.endOffsets(partition))
                    .compose(last -> {
                        end = last;
                        context.runOnContext(ignored -> poll(created));
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
        from.poll(caughtUp.future().isComplete() ? IDLE_POLL_TIMEOUT : CATCH_UP_POLL_TIMEOUT)
                .compose(polled -> apply(from, polled.records()))
                .compose(ok -> completeIfCaughtUp(from))
                .onComplete(done -> {
                    if (done.failed() && !stopping) {
                        LOG.atWarn()
                                .addKeyValue("topic", partition.getTopic())
                                .setCause(done.cause())
                                .log("state topic could not be applied; retrying");
                        vertx.setTimer(RETRY_MS, timer -> poll(from));
                    } else {
                        context.runOnContext(ignored -> poll(from));
                    }
                });
    }

    private Future<Void> apply(KafkaConsumer<String, byte[]> from, ConsumerRecords<String, byte[]> polled) {
        if (polled.isEmpty()) {
            return Future.succeededFuture();
        }
        var records = new ArrayList<ReceivedRecord>(polled.count());
        polled.forEach(record -> records.add(ReceivedRecord.of(record, kafka)));
        return verifier.filter(records)
                .recover(e -> failAt(from, records.get(0), e))
                .compose(verified -> {
                    for (var record : verified) {
                        try {
                            apply(record);
                        } catch (RuntimeException e) {
                            return failAt(from, record, e);
                        }
                    }
                    return Future.succeededFuture();
                });
    }

    /** The next poll starts at the record again: skipping it would make the model wrong although it looks current. */
    private <T> Future<T> failAt(KafkaConsumer<String, byte[]> from, ReceivedRecord record, Throwable failure) {
        return from.seek(partition, record.offset()).compose(ok -> Future.failedFuture(failure));
    }

    private void apply(ReceivedRecord record) {
        if (record.value().length == 0) {
            return; // a tombstone: models drop expired entries themselves
        }
        try {
            model.accept(record);
        } catch (MalformedEnvelopeException e) {
            // No service writes such a record, so nothing is missing from the model without it.
            LOG.atError()
                    .addKeyValue("topic", partition.getTopic())
                    .addKeyValue("offset", record.offset())
                    .setCause(e)
                    .log("skipped a malformed record");
        }
    }

    private Future<Void> completeIfCaughtUp(KafkaConsumer<String, byte[]> from) {
        if (caughtUp.future().isComplete()) {
            return Future.succeededFuture();
        }
        return from.position(partition).map(position -> {
            if (position >= end) {
                caughtUp.tryComplete();
            }
            return null;
        });
    }
}
