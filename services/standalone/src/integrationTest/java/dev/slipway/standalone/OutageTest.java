package dev.slipway.standalone;

import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.FaultyLink;
import dev.slipway.testkit.SimulatedAdapter;
import dev.slipway.testkit.SimulatedAdapter.World;
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

/** What a platform depends on goes away and comes back. Callers get clear answers meanwhile, and nothing is lost. */
@Order(1)
class OutageTest {
    private static final int CLIENTS = 3;
    /** An outage is long: what is launched in it has all to be looked at afterwards. */
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

    private Load load() {
        return new Load(platform.as("project_owner"), CLIENTS, MAX_PAUSE_MS, 1);
    }

    private static void nothingIsLost(Load load, World world, long adapterLives) {
        new Kept(platform.as("project_owner"), load).verify(platform.events(), world, adapterLives);
        for (var schema : SCHEMAS) {
            eventually(() -> assertThat(platform.database().query("SELECT count(*) FROM " + schema + ".outbox"))
                    .as("what the outbox of %s still holds", schema)
                    .isEqualTo("0"));
        }
    }

    /** An outage takes its time: things time out, reconnect, back off. */
    private static void lasting(Duration time) {
        var end = Instant.now().plus(time);
        eventually(() -> assertThat(Instant.now()).isAfter(end));
    }

    @Test
    void requestsAreAccepted_andEverythingCatchesUp_whenKafkaIsAway() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            var load = load();
            try (load) {
                load.accept(SOME);

                kafka.cut();
                load.accept(SOME);
                lasting(Duration.ofSeconds(10));
                kafka.heal();

                load.accept(SOME);
            }
            assertThat(load.refusals()).isEmpty();
            nothingIsLost(load, adapter.world(), 1);
        }
    }

    @Test
    void callersAreToldToTryAgain_andNothingIsLost_whenTheDatabaseIsAway() {
        try (var adapter = SimulatedAdapter.start(platform.adapterIn(directory))) {
            var load = load();
            try (load) {
                load.accept(SOME);

                database.cut();
                eventually(() -> assertThat(load.refusals()).containsKey("503 dependency_unavailable"));
                database.heal();
                load.accept(SOME);

                database.stall();
                eventually(() -> assertThat(load.refusals()).containsKey("504 timeout"));
                database.heal();
                load.accept(SOME);
            }
            nothingIsLost(load, adapter.world(), 1);
        }
    }

    @Test
    void everythingRuns_whenTheAdapterIsKilledAndComesBack() {
        var world = new World(directory.resolve("world"));
        var load = load();
        try (load) {
            try (var first = adapterProcess()) {
                eventually(() -> assertThat(load.accepted().keySet())
                        .anySatisfy(id -> assertThat(world.timesDeployed(id)).isPositive()));
                first.kill();
            }
            load.accept(SOME);
        }
        try (var second = adapterProcess()) {
            assertThat(second.isAlive()).isTrue();
            nothingIsLost(load, world, 2);
        }
    }

    private ChildProcess adapterProcess() {
        var place = platform.adapterIn(directory);
        return new ChildProcess(
                directory,
                Map.of(),
                System.getProperty("java.class.path"),
                SimulatedAdapter.class.getName(),
                place.baseUrl(),
                place.kafkaBootstrap(),
                place.topicPrefix(),
                place.adapterId().toString(),
                place.secretFile().toString(),
                place.directory().toString());
    }
}
