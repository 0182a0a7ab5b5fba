package dev.slipway.standalone;

import dev.slipway.testkit.EventTap;
import dev.slipway.testkit.PlatformProcess;
import dev.slipway.testkit.SimulatedAdapter;

import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Kills a platform with its Kafka and PostgreSQL at random moments under load and restarts it; afterwards every accepted request must
 * have taken effect exactly once.
 */
final class KillRounds {
    private static final int CLIENTS = 4;
    private static final int MAX_PAUSE_MS = 80;
    private static final int MAX_ACCEPTED_BEFORE_KILL = 30;
    private static final int MAX_MS_INTO_START = 8_000;

    private KillRounds() {}

    /** With {@code alsoWhileStarting}, some kills happen before the platform is ready again. */
    static void run(Path directory, int rounds, boolean alsoWhileStarting) {
        var seed = System.nanoTime();
        System.out.println("kill rounds: seed " + seed);
        var random = new Random(seed);
        var settings = Map.of("SLIPWAY_SERVICES", "iam,catalog,instances,audit,metering,gateway");
        try (var platform = new PlatformProcess(directory, settings)) {
            platform.start();
            var demo = platform.demo();
            var owner = platform.as("project_owner"); // with its first token: that one stays good
            var adapterSettings = new SimulatedAdapter.AdapterSettings(
                    demo.path("base_url").asText(),
                    demo.path("kafka_bootstrap").asText(),
                    "",
                    platform.kafkaClient("adapter-bare_metal"),
                    DemoData.ADAPTER,
                    platform.home().resolve("adapter.secret"),
                    directory.resolve("adapter"));
            try (var adapter = SimulatedAdapter.start(adapterSettings)) {
                var launchLoad = new LaunchLoad(owner, CLIENTS, MAX_PAUSE_MS, seed);
                try (launchLoad) {
                    for (var round = 0; round < rounds; round++) {
                        kill(platform, launchLoad, random);
                        if (alsoWhileStarting && random.nextInt(3) == 0) {
                            var starting = platform.launch();
                            assertThat(starting.awaitExit(random.nextInt(MAX_MS_INTO_START)))
                                    .isFalse();
                            starting.kill();
                        }
                        platform.start();
                    }
                    launchLoad.accept(MAX_ACCEPTED_BEFORE_KILL / 2);
                }
                System.out.println("kill rounds: " + launchLoad.acceptedCount() + " launched, "
                        + launchLoad.deleted().size() + " of them deleted; on the way " + launchLoad.refusals());
                try (var events =
                        new EventTap(demo.path("kafka_bootstrap").asText(), platform.kafkaClient("operator"))) {
                    new RecoveryAssertions(owner, launchLoad).verify(events, adapter.instanceFiles(), 1);
                }
            }
        }
    }

    private static void kill(PlatformProcess platform, LaunchLoad launchLoad, Random random) {
        launchLoad.accept(1 + random.nextInt(MAX_ACCEPTED_BEFORE_KILL));
        platform.process().kill();
    }
}
