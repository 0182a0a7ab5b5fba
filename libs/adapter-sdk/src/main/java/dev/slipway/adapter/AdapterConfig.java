package dev.slipway.adapter;

import dev.slipway.messaging.KafkaSettings;
import dev.slipway.settings.Settings;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Where the platform is, and who this adapter is to it.
 *
 * @param kafkaClient anything else a Kafka client takes: SASL and TLS, say
 * @param secretFile holds the adapter's secret; read for every exchange, so that it can be replaced while the adapter runs
 * @param journalDir the adapter's own, for commands and reports in flight; must outlive the process
 * @param maxConcurrent how many instances are launched at a time, how many operated on, and how many deleted
 * @param heartbeatEvery how often the platform hears that the adapter is alive
 * @param reconciles whether it compares, at its start, what it has with what the platform wants; not for one of several adapters that share
 *     a backend, as each would take the others' instances for missing
 */
public record AdapterConfig(
        URI baseUrl,
        String kafkaBootstrap,
        String kafkaTopicPrefix,
        Map<String, String> kafkaClient,
        UUID adapterId,
        Path secretFile,
        Path journalDir,
        int maxConcurrent,
        Duration heartbeatEvery,
        boolean reconciles) {
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    public AdapterConfig {
        kafkaClient = Map.copyOf(kafkaClient);
    }

    public AdapterConfig(
            URI baseUrl,
            String kafkaBootstrap,
            String kafkaTopicPrefix,
            Map<String, String> kafkaClient,
            UUID adapterId,
            Path secretFile,
            Path journalDir,
            int maxConcurrent) {
        this(
                baseUrl,
                kafkaBootstrap,
                kafkaTopicPrefix,
                kafkaClient,
                adapterId,
                secretFile,
                journalDir,
                maxConcurrent,
                HEARTBEAT,
                true);
    }

    /** The settings that all adapters share; faults are left in {@code settings}. */
    public static AdapterConfig from(Settings settings, Path journalDir, int maxConcurrent) {
        return new AdapterConfig(
                settings.url("SLIPWAY_BASE_URL", "where the platform's API is, such as https://slipway.example.com"),
                settings.required("SLIPWAY_KAFKA_BOOTSTRAP", "the Kafka brokers, as host:port,host:port"),
                settings.text("SLIPWAY_TOPIC_PREFIX", ""),
                settings.file("SLIPWAY_KAFKA_CLIENT_FILE"),
                settings.id("SLIPWAY_ADAPTER_ID", "the id under which this adapter is registered"),
                Path.of(settings.required("SLIPWAY_ADAPTER_SECRET_FILE", "the file with this adapter's secret")),
                journalDir,
                maxConcurrent,
                settings.duration("SLIPWAY_ADAPTER_HEARTBEAT", HEARTBEAT),
                settings.flag("SLIPWAY_ADAPTER_RECONCILE", true));
    }

    /** An adapter makes no topics, so what those settings say does not matter. */
    KafkaSettings kafka() {
        return new KafkaSettings(kafkaBootstrap, kafkaTopicPrefix, 1, (short) 1, kafkaClient);
    }

    /** For a consumer that keeps its name: after a crash it has its partitions back at once, not when the broker has missed it for long. */
    KafkaSettings kafkaNamed(String member) {
        var client = new HashMap<>(kafkaClient);
        client.putIfAbsent("group.instance.id", member);
        return new KafkaSettings(kafkaBootstrap, kafkaTopicPrefix, 1, (short) 1, client);
    }
}
