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
 * Settings that connect an adapter to the platform.
 *
 * @param kafkaClient further Kafka client properties, for example for SASL and TLS
 * @param secretFile file with the adapter's secret; read for every token request, so it can be rotated without a restart
 * @param journalDir directory for commands and reports in flight; must be persistent and used by one adapter only
 * @param maxConcurrent limit for concurrent launches, for concurrent operations and for concurrent deletes
 * @param heartbeatInterval time between heartbeats
 * @param reconcileOnStart whether to reconcile the runtime with the desired state on start; must be false if several adapters share a
 *     backend, because each would consider the others' instances missing
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
        Duration heartbeatInterval,
        boolean reconcileOnStart) {
    private static final Duration DEFAULT_HEARTBEAT_INTERVAL = Duration.ofSeconds(10);

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
                DEFAULT_HEARTBEAT_INTERVAL,
                true);
    }

    /** Reads the settings that all adapters share. Faults are collected in {@code settings}. */
    public static AdapterConfig from(Settings settings, Path journalDir, int maxConcurrent) {
        return new AdapterConfig(
                settings.url("SLIPWAY_BASE_URL", "base URL of the platform's API, such as https://slipway.example.com"),
                settings.required("SLIPWAY_KAFKA_BOOTSTRAP", "Kafka brokers as host:port,host:port"),
                settings.text("SLIPWAY_TOPIC_PREFIX", ""),
                settings.propertiesFile("SLIPWAY_KAFKA_CLIENT_FILE"),
                settings.uuid("SLIPWAY_ADAPTER_ID", "id of this adapter's registration"),
                Path.of(settings.required("SLIPWAY_ADAPTER_SECRET_FILE", "file with this adapter's secret")),
                journalDir,
                maxConcurrent,
                settings.duration("SLIPWAY_ADAPTER_HEARTBEAT", DEFAULT_HEARTBEAT_INTERVAL),
                settings.flag("SLIPWAY_ADAPTER_RECONCILE", true));
    }

    /** An adapter creates no topics, so partition and replica counts are irrelevant. */
    KafkaSettings kafka() {
        return new KafkaSettings(kafkaBootstrap, kafkaTopicPrefix, 1, (short) 1, kafkaClient);
    }

    /** Uses static group membership, so that a restarted adapter gets its partitions back without waiting for a session timeout. */
    KafkaSettings kafkaWithMemberId(String member) {
        var client = new HashMap<>(kafkaClient);
        client.putIfAbsent("group.instance.id", member);
        return new KafkaSettings(kafkaBootstrap, kafkaTopicPrefix, 1, (short) 1, client);
    }
}
