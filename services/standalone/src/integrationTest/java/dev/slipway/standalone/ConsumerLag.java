package dev.slipway.standalone;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares the committed offsets of one platform's consumer groups with the ends of the state topics. */
record ConsumerLag(String bootstrap, String topicPrefix) {
    private static final int TIMEOUT_S = 30;

    Map<TopicPartition, Long> endOffsets() {
        try (var admin = admin()) {
            var names = admin.listTopics().names().get(TIMEOUT_S, TimeUnit.SECONDS).stream()
                    .filter(topic -> topic.startsWith(topicPrefix) && topic.endsWith(".state"))
                    .toList();
            var partitions =
                    admin.describeTopics(names).allTopicNames().get(TIMEOUT_S, TimeUnit.SECONDS).values().stream()
                            .flatMap(topic -> topic.partitions().stream()
                                    .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                            .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest()));
            var ends = new HashMap<TopicPartition, Long>();
            admin.listOffsets(partitions)
                    .all()
                    .get(TIMEOUT_S, TimeUnit.SECONDS)
                    .forEach((partition, end) -> ends.put(partition, end.offset()));
            return ends;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the groups and partitions that have not applied everything up to the ends. */
    List<String> behind(Map<TopicPartition, Long> ends) {
        try (var admin = admin()) {
            var groups = admin.listGroups().valid().get(TIMEOUT_S, TimeUnit.SECONDS).stream()
                    .map(GroupListing::groupId)
                    .filter(group -> group.startsWith(topicPrefix) && !group.startsWith(topicPrefix + "tap-"))
                    .toList();
            var behind = new ArrayList<String>();
            for (var group : groups) {
                admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get(TIMEOUT_S, TimeUnit.SECONDS)
                        .forEach((partition, committed) -> {
                            if (committed != null && committed.offset() < ends.getOrDefault(partition, 0L)) {
                                behind.add(group + " " + partition);
                            }
                        });
            }
            return behind;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap));
    }
}
