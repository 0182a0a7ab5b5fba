package dev.slipway.messaging;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.embedded.EmbeddedKafka;
import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests against a broker with authentication: every client of a process uses the configured identity. */
class KafkaIdentityTest {
    private static final String LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required ";
    private static final String TOPIC = Topics.AUTHZ_STATE;

    private static Path data;
    private static EmbeddedKafka broker;
    private static Vertx vertx;
    private static RecordKeys keys;

    @BeforeAll
    static void start(@TempDir Path directory) {
        data = directory.resolve("kafka");
        broker = broker(0, "");
        keys = RecordKeys.open(directory.resolve("keys"), List.of("iam"));
        vertx = Vertx.vertx();
    }

    private static EmbeddedKafka broker(int port, String moreUsers) {
        return EmbeddedKafka.start(
                data,
                port,
                Map.of(
                        "listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
                        "sasl.enabled.mechanisms", "PLAIN",
                        "sasl.mechanism.inter.broker.protocol", "PLAIN",
                        "listener.name.client.plain.sasl.jaas.config",
                                LOGIN + "username=\"broker\" password=\"b\" user_broker=\"b\" user_iam=\"of iam\""
                                        + " user_instances=\"of instances\"" + moreUsers + ";"));
    }

    @AfterAll
    static void stop() throws Exception {
        await(vertx.close());
        broker.close();
    }

    @Test
    void clients_createTopicsWriteAndRead_withTheirOwnIdentity() throws Exception {
        var iam = as("iam", "of iam");
        await(Topics.createMissing(vertx, iam));
        var sender = new KafkaSender(vertx, iam);
        await(sender.send(List.of(record("read by instances"))));
        await(sender.close());

        var read = new CopyOnWriteArrayList<String>();
        var reader = new StateReader(vertx, as("instances", "of instances"), TOPIC, record -> read.add(record.key()));
        await(reader.start());

        assertThat(read).contains("read by instances");
        await(reader.stop());
    }

    @Test
    void client_isRejected_whenPasswordIsWrong() {
        var sender = KafkaSender.withDeadline(vertx, as("iam", "of instances"), Duration.ofSeconds(30));

        assertThatThrownBy(() -> await(sender.send(List.of(record("a key")))))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(SaslAuthenticationException.class);
        assertThatThrownBy(() -> await(Topics.createMissing(vertx, as("iam", "of instances"))))
                .hasCauseInstanceOf(ServerRejectedException.class);
    }

    /** A Kafka producer does not recover from a failed login, so the sender has to replace it. */
    @Test
    void sender_sends_whenItsIdentityWasAddedAfterRejection() throws Exception {
        await(Topics.createMissing(vertx, as("iam", "of iam")));
        var sender = KafkaSender.withDeadline(vertx, as("late", "of late"), Duration.ofSeconds(30));
        assertThatThrownBy(() -> await(sender.send(List.of(record("a key")))))
                .hasRootCauseInstanceOf(SaslAuthenticationException.class);

        var port = URI.create("kafka://" + broker.bootstrap()).getPort();
        broker.close();
        broker = broker(port, " user_late=\"of late\"");

        await(sender.send(List.of(record("a key"))));
        await(sender.close());
    }

    private static KafkaSettings as(String user, String password) {
        return new KafkaSettings(
                broker.bootstrap(),
                "",
                1,
                (short) 1,
                Map.of(
                        "security.protocol",
                        "SASL_PLAINTEXT",
                        "sasl.mechanism",
                        "PLAIN",
                        "sasl.jaas.config",
                        LOGIN + "username=\"" + user + "\" password=\"" + password + "\";"),
                Map.of(),
                keys);
    }

    private static OutgoingRecord record(String key) {
        var event = new Envelope(Ids.next(), "state.heartbeat", Instant.now(), 1, "test", Json.object());
        return new OutgoingRecord(TOPIC, key, event.toBytes(), Map.of());
    }

    private static <T> void await(Future<T> future) throws Exception {
        var ignored = future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
