package dev.slipway.messaging;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Connection settings of Kafka clients, and the client settings that the delivery guarantees depend on.
 *
 * @param topicPrefix prefix of every topic and group name, so that several platforms can share one broker
 * @param partitions number of partitions of topics that the platform creates
 * @param replication replication factor of topics that the platform creates
 * @param client additional client settings, such as SASL and TLS
 * @param serviceClients the same by service, for services that have their own identity; others use {@code client}
 * @param keys sign and verify the records of signed topics
 */
public record KafkaSettings(
        String bootstrap,
        String topicPrefix,
        int partitions,
        short replication,
        Map<String, String> client,
        Map<String, Map<String, String>> serviceClients,
        RecordKeys keys) {

    public KafkaSettings {
        client = Map.copyOf(client);
        serviceClients = Map.copyOf(serviceClients);
    }

    /** Creates settings of a process that uses no signed topic, such as an adapter. */
    public KafkaSettings(
            String bootstrap, String topicPrefix, int partitions, short replication, Map<String, String> client) {
        this(bootstrap, topicPrefix, partitions, replication, client, Map.of(), RecordKeys.none());
    }

    /** Returns the settings with the identity of a service. */
    public KafkaSettings as(String service) {
        return new KafkaSettings(
                bootstrap,
                topicPrefix,
                partitions,
                replication,
                serviceClients.getOrDefault(service, client),
                serviceClients,
                keys);
    }

    public String topic(String name) {
        return topicPrefix + name;
    }

    Map<String, Object> admin() {
        var config = new HashMap<String, Object>(client);
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.putIfAbsent(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, "false");
        return config;
    }

    /**
     * Ordered and durable. A send waits for the broker without a limit, because later records could overtake one that was given up.
     *
     * <p>Only one request is in flight. With more, the leader of a new partition can reject the first request because it is not ready and
     * accept the second one, and the producer then retries the first one forever with an out-of-order sequence number.
     */
    Map<String, Object> relayProducer() {
        var config = producer();
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        // Without a pause the first record of a batch is a request of its own, and the others wait for its response.
        config.put(ProducerConfig.LINGER_MS_CONFIG, 1);
        config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 << 10);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        return config;
    }

    /** As durable as the relay's producer, but a send fails after the deadline. */
    Map<String, Object> deadlineProducer(Duration deadline) {
        var half = (int) deadline.toMillis() / 2;
        var config = relayProducer();
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, half);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, half);
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, half / 2);
        return config;
    }

    /** For records that may be lost: limits memory and time. */
    Map<String, Object> bestEffortProducer() {
        var config = producer();
        config.put(ProducerConfig.ACKS_CONFIG, "1");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
        // No caller waits for these records, so fewer and larger requests are better.
        config.put(ProducerConfig.LINGER_MS_CONFIG, 5);
        config.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 << 10);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 5_000);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 8 << 20);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 120_000);
        return config;
    }

    private Map<String, Object> producer() {
        var config = admin();
        config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class.getName());
        config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 2 << 20);
        return config;
    }

    /** Offsets are committed explicitly, after the records have been handled. */
    Map<String, String> consumer() {
        var config = new HashMap<>(client);
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.putIfAbsent(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, "false");
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // Time until the partitions of a killed process are reassigned.
        config.putIfAbsent(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "10000");
        config.putIfAbsent(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "3000");
        config.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
        // The default is 50 MiB, which several consumers of one process would not have memory for.
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, String.valueOf(4 << 20));
        // The heartbeat thread of every consumer wakes up at this interval.
        config.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, "400");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        return config;
    }

    @Override
    public String toString() {
        return "KafkaSettings[" + bootstrap + ", " + topicPrefix + "]"; // client settings contain passwords
    }
}
