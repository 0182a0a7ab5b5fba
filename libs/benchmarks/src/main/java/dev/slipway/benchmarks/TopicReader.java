package dev.slipway.benchmarks;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.time.Duration;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reads topics with a plain consumer. */
final class TopicReader {
    private TopicReader() {}

    /** Returns a consumer of all partitions of a topic, positioned at their ends. */
    static KafkaConsumer<String, byte[]> follow(String bootstrap, String topic) {
        var consumer = open(bootstrap);
        var partitions = consumer.partitionsFor(topic).stream()
                .map(p -> new TopicPartition(topic, p.partition()))
                .collect(Collectors.toSet());
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position); // now, not at the first poll
        return consumer;
    }

    /**
     * Returns the sizes in bytes of the four records of a launch, for the baseline to write as many. Of the two instance events, the
     * larger is about the instance and the smaller about its operation.
     */
    static String sizes(String bootstrap) {
        var ofInstances = sizes(bootstrap, "instances.events");
        return IntStream.of(
                        ofInstances.getMax(),
                        sizes(bootstrap, "runtime.commands.bare_metal").getMax(),
                        sizes(bootstrap, "audit.events").getMax(),
                        ofInstances.getMin())
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
    }

    /** Returns the number of records that consumer groups have not applied yet. */
    static long lag(String bootstrap, Predicate<String> group) {
        try (var admin = Admin.create(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            var lag = 0L;
            for (var listed : admin.listGroups().all().get()) {
                if (group.test(listed.groupId())) {
                    var applied = admin.listConsumerGroupOffsets(listed.groupId())
                            .partitionsToOffsetAndMetadata()
                            .get();
                    var ends = admin.listOffsets(applied.keySet().stream()
                                    .collect(
                                            Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest())))
                            .all()
                            .get();
                    for (var at : applied.entrySet()) {
                        lag += Objects.requireNonNull(ends.get(at.getKey())).offset()
                                - at.getValue().offset();
                    }
                }
            }
            return lag;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static IntSummaryStatistics sizes(String bootstrap, String topic) {
        try (var consumer = follow(bootstrap, topic)) {
            consumer.seekToBeginning(consumer.assignment());
            var sizes = new IntSummaryStatistics();
            for (var record : consumer.poll(Duration.ofSeconds(5))) {
                sizes.accept(record.value().length);
            }
            return sizes;
        }
    }

    private static KafkaConsumer<String, byte[]> open(String bootstrap) {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return new KafkaConsumer<>(config);
    }
}
