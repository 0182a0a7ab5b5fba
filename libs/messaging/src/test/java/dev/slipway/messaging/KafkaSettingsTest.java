package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class KafkaSettingsTest {
    private static final Map<String, String> IDENTITY = Map.of(
            "security.protocol", "SASL_SSL",
            "sasl.mechanism", "SCRAM-SHA-512",
            "sasl.jaas.config", "ScramLoginModule required username=\"iam\" password=\"secret\";");

    /** A poll is in memory as a whole, several consumers share a small heap, and records are parsed to many times their size. */
    @Test
    void consumer_limitsTheSizeOfAPoll() {
        var kafka = new KafkaSettings("b:9092", "", 1, (short) 1, Map.of());

        assertThat(Integer.parseInt(kafka.consumer().get("fetch.max.bytes"))).isLessThanOrEqualTo(4 << 20);
    }

    @Test
    void clients_useConfiguredIdentity_andKeepDeliveryGuarantees() {
        var client = new java.util.HashMap<>(IDENTITY);
        client.put("enable.auto.commit", "true");
        client.put("acks", "0");
        var kafka = new KafkaSettings("b:9092", "", 1, (short) 1, client);

        for (var config : List.of(
                kafka.admin(),
                kafka.relayProducer(),
                kafka.deadlineProducer(Duration.ofSeconds(1)),
                kafka.bestEffortProducer(),
                Map.<String, Object>copyOf(kafka.consumer()))) {
            assertThat(config).containsAllEntriesOf(IDENTITY);
        }
        assertThat(kafka.relayProducer())
                .containsEntry("acks", "all")
                .containsEntry("max.in.flight.requests.per.connection", 1);
        assertThat(kafka.consumer()).containsEntry("enable.auto.commit", "false");
        assertThat(kafka.toString()).doesNotContain("secret");
    }
}
