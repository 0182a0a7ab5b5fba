package dev.slipway.messaging;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Waits until consumers have applied every record that is on their topics when the wait begins.
 *
 * <p>The partitions of a group may be assigned to another process. A record therefore counts as applied when its group has committed a
 * higher offset, or when the consumer of this process has applied it and not committed yet.
 */
public final class ConsumerCatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerCatchUp.class);
    private static final long CHECK_INTERVAL_MS = 50;
    private static final long RETRY_INTERVAL_MS = 500;

    private final Vertx vertx;
    private final KafkaSettings kafka;
    private final List<InboxConsumer> consumers;
    private final Consumer<String> onProgress;

    /** {@code onProgress} receives a description of the missing records after each check. */
    public ConsumerCatchUp(
            Vertx vertx, KafkaSettings kafka, List<InboxConsumer> consumers, Consumer<String> onProgress) {
        this.vertx = vertx;
        this.kafka = kafka;
        this.consumers = List.copyOf(consumers);
        this.onProgress = onProgress;
    }

    /** The records of one partition that a consumer has to apply: offsets {@code first} to {@code end - 1}. */
    private record OffsetRange(InboxConsumer consumer, TopicPartition partition, long first, long end) {
        long missing(long applied) {
            return end - Math.max(first, applied);
        }
    }

    /** Completes when the consumers are current. Keeps waiting while Kafka or a consumer is unavailable. */
    public Future<Void> await() {
        if (consumers.isEmpty()) {
            return Future.succeededFuture();
        }
        return awaitCatalogBootstrap()
                .compose(ok -> vertx.executeBlocking(() -> Admin.create(kafka.admin()), false))
                .compose(admin -> retry(() -> findRanges(admin))
                        .compose(ranges -> awaitApplied(admin, ranges))
                        .eventually(() -> close(admin)));
    }

    /** On a new platform the topic may still be empty, or hold a part of the first data: a heartbeat follows that data. */
    private Future<Void> awaitCatalogBootstrap() {
        var topic = kafka.topic(Topics.CATALOG_STATE);
        if (consumers.stream().noneMatch(consumer -> consumer.topics().contains(topic))) {
            return Future.succeededFuture();
        }
        onProgress.accept("waiting for the first heartbeat of the catalog");
        return new HeartbeatFinder(vertx, kafka, Topics.CATALOG_STATE).await();
    }

    private Future<List<OffsetRange>> findRanges(Admin admin) {
        var topics = consumers.stream()
                .flatMap(consumer -> consumer.topics().stream())
                .collect(Collectors.toSet());
        return future(admin.describeTopics(topics).allTopicNames()).compose(described -> {
            var partitions = described.values().stream()
                    .flatMap(topic -> topic.partitions().stream()
                            .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                    .toList();
            var first = offsets(admin, partitions, OffsetSpec.earliest());
            var end = offsets(admin, partitions, OffsetSpec.latest());
            return Future.all(first, end).map(ok -> ranges(first.result(), end.result()));
        });
    }

    private List<OffsetRange> ranges(
            Map<TopicPartition, ListOffsetsResultInfo> first, Map<TopicPartition, ListOffsetsResultInfo> end) {
        var ranges = new ArrayList<OffsetRange>();
        for (var consumer : consumers) {
            first.forEach((partition, offset) -> {
                var last = end.get(partition);
                if (last != null
                        && offset.offset() < last.offset()
                        && consumer.topics().contains(partition.topic())) {
                    ranges.add(new OffsetRange(consumer, partition, offset.offset(), last.offset()));
                }
            });
        }
        return ranges;
    }

    private Future<Void> awaitApplied(Admin admin, List<OffsetRange> ranges) {
        var notApplied = ranges.stream()
                .filter(range -> range.missing(range.consumer.appliedOffset(range.partition)) > 0)
                .toList();
        if (notApplied.isEmpty()) {
            return Future.succeededFuture();
        }
        return retry(() -> committed(admin, notApplied)).compose(committed -> {
            var missing = new TreeMap<String, Long>();
            for (var range : notApplied) {
                var offset =
                        committed.getOrDefault(range.consumer.group(), Map.of()).get(range.partition);
                var count = range.missing(offset == null ? 0 : offset.offset());
                if (count > 0) {
                    missing.merge(range.consumer.name(), count, Long::sum);
                }
            }
            if (missing.isEmpty()) {
                return Future.succeededFuture();
            }
            onProgress.accept("records to apply: " + missing);
            return vertx.timer(CHECK_INTERVAL_MS).compose(ok -> awaitApplied(admin, notApplied));
        });
    }

    private static Future<Map<TopicPartition, ListOffsetsResultInfo>> offsets(
            Admin admin, List<TopicPartition> partitions, OffsetSpec spec) {
        return future(
                admin.listOffsets(partitions.stream().collect(Collectors.toMap(Function.identity(), partition -> spec)))
                        .all());
    }

    private static Future<Map<String, Map<TopicPartition, OffsetAndMetadata>>> committed(
            Admin admin, List<OffsetRange> ranges) {
        return future(admin.listConsumerGroupOffsets(ranges.stream()
                        .map(range -> range.consumer.group())
                        .distinct()
                        .collect(Collectors.toMap(Function.identity(), group -> new ListConsumerGroupOffsetsSpec())))
                .all());
    }

    private static <T> Future<T> future(KafkaFuture<T> kafkaFuture) {
        return Future.fromCompletionStage(kafkaFuture.toCompletionStage());
    }

    private <T> Future<T> retry(Supplier<Future<T>> attempt) {
        return attempt.get().recover(e -> {
            LOG.atWarn().log("cannot read consumer offsets; retrying: {}", e.toString());
            return vertx.timer(RETRY_INTERVAL_MS).compose(ok -> retry(attempt));
        });
    }

    private Future<Void> close(Admin admin) {
        return vertx.executeBlocking(
                () -> {
                    admin.close(Duration.ofSeconds(1));
                    return null;
                },
                false);
    }
}
