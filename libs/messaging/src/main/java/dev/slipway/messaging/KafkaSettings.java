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
 * How to reach the broker, and the settings that our guarantees rest on.
 *
 * @param topicPrefix put before every topic and group name, so that several platforms can share one broker
 * @param partitions of the topics that are made when missing
 * @param replication of the topics that are made when missing
 * @param client anything else a Kafka client takes: SASL and TLS, say
 */
public record KafkaSettings(
        String bootstrap, String topicPrefix, int partitions, short replication, Map<String, String> client) {

    public KafkaSettings {
        client = Map.copyOf(client);
    }

    public String topic(String name) {
        return topicPrefix + name;
    }

    Map<String, Object> admin() {
        var config = new HashMap<String, Object>(client);
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        return config;
    }

    /** Ordered and durable: a send waits for the broker as long as it takes, for a send given up could be overtaken. */
    Map<String, Object> relayProducer() {
        var config = producer();
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        return config;
    }

    /** As durable as the relay's, but a send that takes too long fails, wherever it got stuck. */
    Map<String, Object> timelyProducer(Duration deadline) {
        var half = (int) deadline.toMillis() / 2;
        var config = relayProducer();
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, half);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, half);
        config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, half / 2);
        return config;
    }

    /** For records that may be lost: bounded in memory and time. */
    Map<String, Object> lossyProducer() {
        var config = producer();
        config.put(ProducerConfig.ACKS_CONFIG, "1");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
        // Nobody waits for these: fewer and larger requests leave the broker and its consumers more for what is waited
        // for.
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

    /** Reads only what is committed by us: offsets move after the effect, never by themselves. */
    Map<String, String> consumer() {
        var config = new HashMap<>(client);
        config.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        // How long the work of a process that was killed waits for another: no guarantee rests on it.
        config.putIfAbsent(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "10000");
        config.putIfAbsent(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "2000");
        config.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500");
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        return config;
    }

    @Override
    public String toString() {
        return "KafkaSettings[" + bootstrap + ", " + topicPrefix + "]"; // a client's settings have passwords among them
    }
}
