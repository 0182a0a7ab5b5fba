package dev.slipway.standalone;

import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.SimulatedAdapter.InstanceFiles;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests outages of Kafka and PostgreSQL: callers get clear errors, and nothing is lost. */
@Order(1)
class OutageTest {
    private static final int CLIENTS = 3;
    /** Limits the load: every launch during the outage is verified afterwards. */
    private static final int MAX_PAUSE_MS = 1_000;

    private static final int SOME = 10;
    private static final List<String> SCHEMAS = List.of("iam", "catalog", "instances", "audit", "metering");

    private static FaultyLink kafka;
    private static FaultyLink database;
    private static PlatformUnderTest platform;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() {
        kafka = FaultyLink.toKafka(TestInfrastructure.shared().kafkaBootstrap());
        database = FaultyLink.toDatabase(TestInfrastructure.shared().databaseUrl());
        platform = new PlatformUnderTest(
                Map.of("SLIPWAY_REPLY_TIMEOUT", "PT3S"), address -> kafka.through(database.through(address)));
    }

    @AfterAll
    static void stop() {
        platform.close();
        kafka.close();
        database.close();
    }

    private LaunchLoad load() {
        return new LaunchLoad(platform.as("project_owner"), CLIENTS, MAX_PAUSE_MS, 1);
    }

    private static void assertNothingLost(LaunchLoad launchLoad, InstanceFiles instanceFiles, long adapterLives) {
        new RecoveryAssertions(platform.as("project_owner"), launchLoad)
                .verify(platform.events(), instanceFiles, adapterLives);
        for (var schema : SCHEMAS) {
            eventually(() -> assertThat(platform.database().query("SELECT count(*) FROM " + schema + ".outbox"))
                    .as("what the outbox of %s still holds", schema)
                    .isEqualTo("0"));
        }
    }

    /** Gives timeouts, reconnects and back-off time to happen. */
    private static void holdOutage(Duration time) {
        var end = Instant.now().plus(time);
        eventually(() -> assertThat(Instant.now()).isAfter(end));
    }

    @Test
    void launch_isAccepted_whenKafkaIsUnavailable() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            var launchLoad = load();
            try (launchLoad) {
                launchLoad.accept(SOME);

                kafka.cut();
                launchLoad.accept(SOME);
                holdOutage(Duration.ofSeconds(10));
                kafka.heal();

                launchLoad.accept(SOME);
            }
            assertThat(launchLoad.refusals()).isEmpty();
            assertNothingLost(launchLoad, adapter.instanceFiles(), 1);
        }
    }

    @Test
    void launch_returnsRetryableError_whenDatabaseIsUnavailable() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            var launchLoad = load();
            try (launchLoad) {
                launchLoad.accept(SOME);

                database.cut();
                eventually(() -> assertThat(launchLoad.refusals()).containsKey("503 dependency_unavailable"));
                database.heal();
                launchLoad.accept(SOME);

                database.stall();
                eventually(() -> assertThat(launchLoad.refusals()).containsKey("504 timeout"));
                database.heal();
                launchLoad.accept(SOME);
            }
            assertNothingLost(launchLoad, adapter.instanceFiles(), 1);
        }
    }

    @Test
    void launch_completes_whenAdapterIsKilledAndRestarted() {
        var instanceFiles = new InstanceFiles(directory.resolve("world"));
        var launchLoad = load();
        try (launchLoad) {
            try (var first = adapterProcess()) {
                eventually(() -> assertThat(launchLoad.accepted().keySet())
                        .anySatisfy(id ->
                                assertThat(instanceFiles.timesDeployed(id)).isPositive()));
                first.kill();
            }
            launchLoad.accept(SOME);
        }
        try (var second = adapterProcess()) {
            assertThat(second.isAlive()).isTrue();
            assertNothingLost(launchLoad, instanceFiles, 2);
        }
    }

    private ChildProcess adapterProcess() {
        var adapterSettings = platform.adapterIn(directory);
        return new ChildProcess(
                directory,
                Map.of(),
                System.getProperty("java.class.path"),
                SimulatedAdapter.class.getName(),
                adapterSettings.baseUrl(),
                adapterSettings.kafkaBootstrap(),
                adapterSettings.topicPrefix(),
                adapterSettings.adapterId().toString(),
                adapterSettings.secretFile().toString(),
                adapterSettings.directory().toString());
    }
}
