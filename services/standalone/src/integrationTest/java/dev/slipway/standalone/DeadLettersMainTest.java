package dev.slipway.standalone;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.TestInfrastructure;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ExitCode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class DeadLettersMainTest {
    private static final String BOOTSTRAP = TestInfrastructure.shared().kafkaBootstrap();
    private static final String PREFIX = "d" + Ids.next().toString().substring(24) + ".";
    private static final Map<String, String> ENVIRONMENT =
            Map.of("SLIPWAY_KAFKA_BOOTSTRAP", BOOTSTRAP, "SLIPWAY_TOPIC_PREFIX", PREFIX);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void makeTopics() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", BOOTSTRAP))) {
            var topics = new ArrayList<NewTopic>();
            for (var name : List.of("listed", "empty", "replayed")) {
                topics.add(new NewTopic(PREFIX + name, 1, (short) 1));
                topics.add(new NewTopic(PREFIX + name + ".dlq", 1, (short) 1));
            }
            admin.createTopics(topics).all().get(30, TimeUnit.SECONDS);
        }
        sendDeadLetter("listed", "first", "it is\ninvalid");
        sendDeadLetter("listed", "second", "so is this");
        sendDeadLetter("replayed", "fixed", "was a bug");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "list", "list a b", "replay", "replay a", "replay a b c", "unknown a"})
    void run_printsUsage_whenArgumentsAreInvalid(String line) {
        var args = line.isEmpty() ? new String[0] : line.split(" ", -1);

        assertThat(run(ENVIRONMENT, args)).isEqualTo(ExitCode.USAGE);

        assertThat(text(err)).contains("Usage: dead-letters");
        assertThat(text(out)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help", "list --help", "replay -h"})
    void run_printsUsage_whenAskedForHelp(String line) {
        assertThat(run(ENVIRONMENT, line.split(" ", -1))).isEqualTo(ExitCode.OK);

        assertThat(text(out)).contains("Usage: dead-letters");
        assertThat(text(err)).isEmpty();
    }

    @Test
    void run_printsError_whenNoBrokerIsNamed(@TempDir Path home) {
        assertThat(run(Map.of("SLIPWAY_HOME", home.toString()), "list", "listed"))
                .isEqualTo(ExitCode.SOFTWARE);

        assertThat(text(err)).contains("SLIPWAY_KAFKA_BOOTSTRAP is not set").contains(home.toString());
    }

    @Test
    void run_printsError_whenTheBrokerDoesNotAnswer(@TempDir Path home) throws IOException {
        var client = Files.writeString(home.resolve("client"), "default.api.timeout.ms=1000\nrequest.timeout.ms=500\n");
        int closed;
        try (var socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        var environment = Map.of(
                "SLIPWAY_KAFKA_BOOTSTRAP", "127.0.0.1:" + closed, "SLIPWAY_KAFKA_CLIENT_FILE", client.toString());

        assertThat(run(environment, "list", "listed")).isEqualTo(ExitCode.SOFTWARE);

        assertThat(text(err)).startsWith("dead-letters: the broker at 127.0.0.1:" + closed + " does not answer");
    }

    @Test
    void run_printsError_whenThereIsNoSuchTopic() {
        assertThat(run(ENVIRONMENT, "list", "nowhere")).isEqualTo(ExitCode.SOFTWARE);

        assertThat(text(err)).isEqualTo("dead-letters: topic " + PREFIX + "nowhere.dlq does not exist\n");
    }

    @Test
    void replay_printsError_whenThereIsNoSuchLetter() {
        assertThat(run(ENVIRONMENT, "replay", "listed", "0/99")).isEqualTo(ExitCode.SOFTWARE);

        assertThat(text(err)).contains("there is no dead letter at 0/99");
        assertThat(read("listed")).isEmpty();
    }

    @Test
    void list_printsNothing_whenThereIsNone() {
        assertThat(run(ENVIRONMENT, "list", "empty")).isEqualTo(ExitCode.OK);

        assertThat(text(out)).isEmpty();
        assertThat(text(err)).isEqualTo("No dead letters of empty.\n");
    }

    @Test
    void list_printsALineForEachLetter() {
        assertThat(run(ENVIRONMENT, "list", "listed")).isEqualTo(ExitCode.OK);

        assertThat(text(out).lines())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .matches("0/0\t20[0-9T:.-]+Z\tfirst\tinstances.reports\tit is invalid"),
                        second -> assertThat(second)
                                .matches("0/1\t20[0-9T:.-]+Z\tsecond\tinstances.reports\tso is this"));
    }

    @Test
    void replay_sendsTheLetterBack_foundByTheHomeOfThePlatform(@TempDir Path home) throws IOException {
        Files.writeString(
                home.resolve("demo.json"),
                Json.object().put("kafka_bootstrap", BOOTSTRAP).toString());
        var environment = Map.of("SLIPWAY_HOME", home.toString(), "SLIPWAY_TOPIC_PREFIX", PREFIX);

        assertThat(run(environment, "replay", "replayed", "0/0")).isEqualTo(ExitCode.OK);

        assertThat(text(out)).isEqualTo("Sent back to replayed: 0/0\n");
        assertThat(read("replayed")).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("fixed");
            assertThat(record.value()).isEqualTo("the value".getBytes(StandardCharsets.UTF_8));
            assertThat(record.headers()).extracting(h -> h.key()).containsExactly("ce_type");
        });
    }

    private int run(Map<String, String> environment, String... args) {
        return DeadLettersMain.commandLine(environment)
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
                .execute(args);
    }

    private static String text(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    private static void sendDeadLetter(String topic, String key, String reason) throws Exception {
        var config = Map.<String, Object>of("bootstrap.servers", BOOTSTRAP);
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer())) {
            var value = "the value".getBytes(StandardCharsets.UTF_8);
            var record = new ProducerRecord<>(PREFIX + topic + ".dlq", key, value);
            Map.of(
                            "ce_type",
                            "test.thing",
                            "slipway-dead-letter-reason",
                            reason,
                            "slipway-dead-letter-consumer",
                            "instances.reports",
                            "slipway-dead-letter-topic",
                            topic)
                    .forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
            producer.send(record).get(30, TimeUnit.SECONDS);
        }
    }

    private static List<ConsumerRecord<String, byte[]>> read(String topic) {
        var config = Map.<String, Object>of("bootstrap.servers", BOOTSTRAP, "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer())) {
            var partition = new TopicPartition(PREFIX + topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            var end = consumer.endOffsets(List.of(partition)).get(partition);
            var all = new ArrayList<ConsumerRecord<String, byte[]>>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
            return all;
        }
    }
}
