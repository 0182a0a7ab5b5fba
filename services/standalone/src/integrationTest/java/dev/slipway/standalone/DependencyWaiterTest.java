package dev.slipway.standalone;

import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.FreePorts;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests a process that starts before its Kafka and PostgreSQL, or with wrong addresses. */
class DependencyWaiterTest {
    private static final String KAFKA = TestInfrastructure.shared().kafkaBootstrap();

    @TempDir
    private Path directory;

    private PlatformProcess process(String kafka, String database, Map<String, String> more) {
        var settings = new HashMap<>(Map.of(
                "SLIPWAY_KAFKA_BOOTSTRAP",
                kafka,
                "SLIPWAY_DATABASE_URL",
                database,
                "SLIPWAY_SERVICES",
                "catalog",
                "SLIPWAY_TOPIC_PREFIX",
                "first-contact.",
                "SLIPWAY_TOPIC_PARTITIONS",
                "1"));
        settings.putAll(more);
        return new PlatformProcess(directory, settings);
    }

    private static String refusal(PlatformProcess process) {
        try (process) {
            var started = process.launch();
            assertThat(started.exit()).as(process.log()).isEqualTo(1);
            assertThat(started.errors().lines()).hasSize(1);
            return started.errors();
        }
    }

    @Test
    void start_namesUnreachableDependency_afterTimeout() {
        var refusal = refusal(process(
                "nobody.invalid:9092",
                "postgresql://user:hunter2@127.0.0.1:1/slipway",
                Map.of("SLIPWAY_START_TIMEOUT", "PT2S")));

        assertThat(refusal).contains("Kafka at nobody.invalid:9092", "SLIPWAY_KAFKA_BOOTSTRAP");
    }

    @Test
    void start_doesNotWait_whenThePasswordIsWrong() {
        try (var database = FreshDatabase.create()) {
            var wrong = database.url().replaceFirst("//([^:]+):[^@]*@", "//$1:hunter2@");

            var refusal = refusal(process(KAFKA, wrong, Map.of("SLIPWAY_START_TIMEOUT", "PT10M")));

            assertThat(refusal)
                    .contains("PostgreSQL at ", "password authentication failed", "SLIPWAY_DATABASE_URL")
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void start_doesNotWait_whenTheUserMayNotMakeRoles() {
        try (var database = FreshDatabase.create()) {
            var process = process(
                    KAFKA,
                    database.urlOfNewUser("hunter2", "NOCREATEROLE"),
                    Map.of("SLIPWAY_START_TIMEOUT", "PT10M", "SLIPWAY_SERVICES", "catalog,instances,metering"));
            var refusal = refusal(process);

            assertThat(refusal)
                    .contains("PostgreSQL at ", "permission denied", "SLIPWAY_DATABASE_URL")
                    .doesNotContain("hunter2");
            assertThat(process.log()).doesNotContain("\"level\":\"ERROR\"");
        }
    }

    @Test
    void start_waitsForBoth_andLogsIt() throws Exception {
        try (var database = FreshDatabase.create();
                var toKafka = FaultyLink.toKafka(KAFKA);
                var toDatabase = FaultyLink.toDatabase(database.url())) {
            List.of(toKafka, toDatabase).forEach(FaultyLink::cut);
            var port = String.valueOf(FreePorts.find(1).get(0));
            try (var process = process(
                    toKafka.through(KAFKA),
                    toDatabase.through(database.url()),
                    Map.of("SLIPWAY_LOG", "-", "SLIPWAY_MANAGEMENT_PORT", port))) {
                var started = process.launch();
                eventually(() -> assertThat(started.output())
                        .contains("Waiting for Kafka at ")
                        .contains("Waiting for PostgreSQL at "));
                var health = HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready"))
                                        .build(),
                                BodyHandlers.ofString());
                assertThat(health.statusCode()).isEqualTo(503);
                assertThat(health.body()).contains("starting");

                List.of(toKafka, toDatabase).forEach(FaultyLink::heal);

                eventually(() -> assertThat(database.query(
                                "SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'catalog'"))
                        .isEqualTo("1"));
                eventually(() -> assertThat(started.output()).contains("\"message\":\"service started\""));
                assertThat(started.isAlive()).isTrue();
                assertThat(process.home().resolve("slipway.log")).doesNotExist();
            }
        }
    }
}
