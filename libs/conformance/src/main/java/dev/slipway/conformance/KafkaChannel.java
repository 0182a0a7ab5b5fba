package dev.slipway.conformance;

import dev.slipway.contract.Envelope;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Sends commands to their topic and reads reports from theirs. */
final class KafkaChannel implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 30;
    private static final int PARTITIONS = 3;

    private static final int BROKER_TIMEOUT_MS = 5_000;

    private final String commands;
    private final Map<String, Object> settings;
    private final List<String> createdTopics = new ArrayList<>();
    private final KafkaProducer<String, byte[]> producer;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Thread reader;

    /**
     * Creates missing topics, which are deleted on close, and passes every report to {@code reports} on one thread. A read failure is
     * passed to {@code fault}.
     */
    KafkaChannel(
            Map<String, String> client,
            String bootstrap,
            String prefix,
            String backend,
            Consumer<ConsumerRecord<String, byte[]>> reports,
            Consumer<RuntimeException> fault)
            throws Exception {
        commands = prefix + "runtime.commands." + backend;
        var topic = prefix + "runtime.reports";
        settings = new HashMap<>(client);
        settings.put("bootstrap.servers", bootstrap);
        try (var admin = Admin.create(settings)) {
            create(admin, new NewTopic(commands, PARTITIONS, (short) 1));
            create(
                    admin,
                    new NewTopic(topic, PARTITIONS, (short) 1)
                            .configs(Map.of("message.timestamp.type", "LogAppendTime")));
        }
        producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer());
        settings.put("allow.auto.create.topics", "false");
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
        var partitions = partitions(topic);
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position); // seeks are lazy; this fixes the start position
        reader = new Thread(() -> read(reports, fault), "reports");
        reader.start();
    }

    /** Returns whether a broker answers within a few seconds. */
    static boolean isReachable(Map<String, String> client, String bootstrap) {
        var settings = new HashMap<String, Object>(client);
        settings.put("bootstrap.servers", bootstrap);
        settings.put("default.api.timeout.ms", BROKER_TIMEOUT_MS);
        settings.put("request.timeout.ms", BROKER_TIMEOUT_MS);
        try (var admin = Admin.create(settings)) {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (ExecutionException | KafkaException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void send(Envelope command) throws Exception {
        send(SentCommand.subjectId(command.payload()), command.toBytes());
    }

    /** Returns the consumer groups that have committed offsets of the command topic. */
    List<String> listCommandGroups() throws Exception {
        try (var admin = Admin.create(settings)) {
            var found = new ArrayList<String>();
            for (var group : admin.listGroups(ListGroupsOptions.forConsumerGroups())
                    .all()
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                var offsets = admin.listConsumerGroupOffsets(group.groupId())
                        .partitionsToOffsetAndMetadata()
                        .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
                if (offsets.keySet().stream().anyMatch(at -> at.topic().equals(commands))) {
                    found.add(group.groupId());
                }
            }
            return found;
        }
    }

    void send(String key, byte[] value) throws Exception {
        producer.send(new ProducerRecord<>(commands, key, value)).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    static @Nullable String header(ConsumerRecord<String, byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws Exception {
        consumer.wakeup();
        reader.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        producer.close(Duration.ofSeconds(5));
        try (var admin = Admin.create(settings)) {
            admin.deleteTopics(createdTopics).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void read(Consumer<ConsumerRecord<String, byte[]>> reports, Consumer<RuntimeException> fault) {
        try (consumer) {
            while (true) {
                consumer.poll(Duration.ofSeconds(1)).forEach(reports);
            }
        } catch (WakeupException e) {
            // closed
        } catch (RuntimeException e) {
            fault.accept(e);
        }
    }

    /** A new topic is not known to every broker at once. */
    private List<TopicPartition> partitions(String topic) {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (System.nanoTime() < end) {
            var known = consumer.partitionsFor(topic);
            if (known != null && !known.isEmpty()) {
                return known.stream()
                        .map(info -> new TopicPartition(topic, info.partition()))
                        .toList();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        throw new IllegalStateException("the broker has no metadata of topic " + topic);
    }

    private void create(Admin admin, NewTopic topic) throws Exception {
        try {
            admin.createTopics(List.of(topic)).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            createdTopics.add(topic.name());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }
}
