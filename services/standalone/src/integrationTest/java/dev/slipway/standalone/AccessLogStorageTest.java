package dev.slipway.standalone;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ExitCode;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the access log expires, and that records which could not be stored are stored when they are replayed. */
class AccessLogStorageTest {
    private static final String RETENTION = "PT5S";

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest(Map.of("SLIPWAY_ACCESS_LOG_RETENTION", RETENTION));
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void requests_expire_andAuditRecordsDoNot() {
        var id = "expiring-" + UUID.randomUUID();
        platform.launch("project_owner", "expiring")
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);
        eventually(() -> assertThat(count("calls", id)).isEqualTo("1"));

        eventually(() -> assertThat(count("calls", id)).isEqualTo("0"));

        assertThat(count("audit_records", id)).isEqualTo("1");
    }

    /** The record is dated forward, so that it does not expire before it is seen. */
    @Test
    void replay_storesARecord_withACharacterThatTheDatabaseCannotStore() throws Exception {
        var id = "replayed-" + UUID.randomUUID();
        sendToDeadLetterTopic(id);

        assertThat(replay()).isEqualTo(ExitCode.OK);

        eventually(() -> assertThat(
                        platform.database().query("SELECT path FROM audit.calls WHERE correlation_id = '" + id + "'"))
                .isEqualTo("/a\uFFFDb"));
    }

    private static String count(String table, String correlationId) {
        return platform.database()
                .query("SELECT count(*) FROM audit." + table + " WHERE correlation_id = '" + correlationId + "'");
    }

    private static void sendToDeadLetterTopic(String correlationId) throws Exception {
        var payload = Json.object();
        payload.putArray("calls")
                .addObject()
                .put("call_id", Ids.next().toString())
                .put(
                        "occurred_at_us",
                        ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plusSeconds(3_600)))
                .put("correlation_id", correlationId)
                .put("method", "GET")
                .put("path", "/a\0b")
                .put("status", 404)
                .put("duration_us", 1);
        var event = new Envelope(Ids.next(), "gateway.calls", Instant.now(), 2, correlationId, payload);
        var config = Map.<String, Object>of("bootstrap.servers", platform.kafkaBootstrap());
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer())) {
            var record = new ProducerRecord<>(platform.topicPrefix() + "calls.dlq", "k", event.toBytes());
            Map.of(
                            "slipway-dead-letter-reason",
                            "invalid byte sequence for encoding \"UTF8\": 0x00",
                            "slipway-dead-letter-consumer",
                            "audit.calls",
                            "slipway-dead-letter-topic",
                            "calls")
                    .forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
            producer.send(record).get(30, TimeUnit.SECONDS);
        }
    }

    private static int replay() {
        return DeadLettersMain.commandLine(Map.of(
                        "SLIPWAY_KAFKA_BOOTSTRAP",
                        platform.kafkaBootstrap(),
                        "SLIPWAY_TOPIC_PREFIX",
                        platform.topicPrefix()))
                .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
                .execute("replay", "calls", "0/0");
    }
}
