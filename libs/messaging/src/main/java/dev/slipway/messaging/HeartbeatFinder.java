package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.kafka.client.common.TopicPartition;
import io.vertx.kafka.client.consumer.KafkaConsumer;

import java.time.Duration;
import java.util.ArrayList;

/**
 * Waits until a state topic of one partition contains a heartbeat. Its owner publishes the first one after the data of its first start,
 * so the topic is complete from then on.
 */
final class HeartbeatFinder {
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);
    /** Heartbeats are frequent, so on a platform that is not new one is almost always among the last records. */
    private static final long TAIL_RECORDS = 200;

    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final TopicPartition partition;
    private final RecordVerifier verifier;

    HeartbeatFinder(Vertx vertx, KafkaSettings kafka, String topic) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.partition = new TopicPartition(kafka.topic(topic), 0);
        this.verifier = new RecordVerifier(vertx, kafka.keys());
    }

    Future<Void> await() {
        return ConsumerFactory.create(vertx, kafka.consumer()).compose(consumer -> consumer.assign(partition)
                .compose(ok -> Future.all(consumer.beginningOffsets(partition), consumer.endOffsets(partition)))
                .compose(offsets -> {
                    long first = offsets.resultAt(0);
                    long end = offsets.resultAt(1);
                    var tail = Math.max(first, end - TAIL_RECORDS);
                    return consumer.seek(partition, tail).compose(ok -> search(consumer, first, tail, end));
                })
                .eventually(consumer::close));
    }

    /** {@code from} is where the search began; without a heartbeat up to {@code end} it starts over at the first record. */
    private Future<Void> search(KafkaConsumer<String, byte[]> consumer, long first, long from, long end) {
        return consumer.poll(POLL_TIMEOUT).compose(polled -> {
            var heartbeats = new ArrayList<ReceivedRecord>();
            for (var record : polled.records()) {
                if (Topics.HEARTBEAT_KEY.equals(record.key())) {
                    heartbeats.add(ReceivedRecord.of(record, kafka));
                }
            }
            return verifier.filter(heartbeats).compose(found -> {
                if (!found.isEmpty()) {
                    return Future.succeededFuture();
                }
                return consumer.position(partition)
                        .compose(position -> position >= end && from > first
                                ? consumer.seek(partition, first).compose(ok -> search(consumer, first, first, end))
                                : search(consumer, first, from, end));
            });
        });
    }
}
