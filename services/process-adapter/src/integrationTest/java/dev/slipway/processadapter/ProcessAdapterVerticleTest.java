package dev.slipway.processadapter;

import dev.slipway.adapter.testing.SimulatedPlatform;
import dev.slipway.adapter.testing.SimulatedPlatform.Report;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.TemporaryDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.processadapter.ProcessTestSupport.await;
import static dev.slipway.processadapter.ProcessTestSupport.pids;
import static dev.slipway.processadapter.ProcessTestSupport.read;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests commands and reports end to end with real processes. */
class ProcessAdapterVerticleTest {
    @TempDir
    Path home;

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx = telemetry.vertx(new VertxOptions()).build();
    private final UUID instance = Ids.next();
    private SimulatedPlatform platform;

    @BeforeEach
    void start() throws Exception {
        TemporaryDirectory.openToOthers(home);
        platform = new SimulatedPlatform(home, "bare_metal");
    }

    @AfterEach
    void stop() throws Exception {
        await(vertx.close());
        platform.close();
        telemetry.close();
        ProcessTable.findByInstance(Set.of(instance)).forEach(ProcessHandle::destroyForcibly);
    }

    private String adapter() throws Exception {
        var config = new ProcessAdapterConfig(
                platform.adapterConfig(home.resolve("adapter/journal"), ProcessAdapterConfig.MAX_CONCURRENT),
                home.resolve("adapter"),
                5,
                ProcessAdapterConfig.builtIn(),
                Duration.ofSeconds(1),
                AppAccount.OWN,
                null);
        return await(vertx.deployVerticle(new ProcessAdapterVerticle(config, telemetry.traces())));
    }

    /** Starts the installed program. */
    private Process program() throws IOException {
        var config = platform.adapterConfig(home.resolve("unused"), 1);
        var builder = new ProcessBuilder(System.getProperty("slipway.process-adapter.program"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        home.resolve("program.log").toFile()));
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME", System.getProperty("java.home"),
                        "JAVA_OPTS", String.join(" ", ShortLivedJvm.OPTIONS),
                        "SLIPWAY_BASE_URL", config.baseUrl().toString(),
                        "SLIPWAY_KAFKA_BOOTSTRAP", config.kafkaBootstrap(),
                        "SLIPWAY_TOPIC_PREFIX", config.kafkaTopicPrefix(),
                        "SLIPWAY_ADAPTER_ID", config.adapterId().toString(),
                        "SLIPWAY_ADAPTER_SECRET_FILE", config.secretFile().toString(),
                        "SLIPWAY_PROCESS_ADAPTER_HOME", home.resolve("adapter").toString()));
        return builder.start();
    }

    private void deploy() throws Exception {
        var manifest = Json.object();
        manifest.putObject("runtime").put("profile", "echo");
        platform.send(platform.deploy(instance, manifest, Json.object().put("message", "hello")));
    }

    private static String url(Report running) {
        return running.event().payload().path("endpoints").path(0).path("url").asText();
    }

    private Report nextRunning(Report before) throws Exception {
        return platform.awaitReport(report -> report.type().equals("running")
                && !report.event().eventId().equals(before.event().eventId()));
    }

    @Test
    void instance_survivesAdapterRestart_fromDeployToDelete() throws Exception {
        var deployment = adapter();
        deploy();
        var running = platform.awaitReport(instance, "running");
        assertThat(read(url(running))).contains("hello", instance.toString());

        await(vertx.undeploy(deployment));
        assertThat(pids(instance))
                .as("stopping the adapter terminates its processes")
                .isEmpty();
        var restarted = adapter();
        var again = nextRunning(running);
        assertThat(read(url(again))).contains("hello");

        platform.send(platform.delete(instance));
        platform.awaitReport(instance, "deleted");
        assertThat(pids(instance)).isEmpty();
        assertThat(home.resolve("adapter/instances")).isEmptyDirectory();
        await(vertx.undeploy(restarted));
    }

    @Test
    void program_adoptsProcessAfterKill_andTerminatesItOnStop() throws Exception {
        var killed = program();
        deploy();
        var running = platform.awaitReport(instance, "running");
        var process = pids(instance);
        assertThat(killed.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();

        var next = program();
        var again = nextRunning(running);
        assertThat(url(again)).isEqualTo(url(running));
        assertThat(pids(instance)).isEqualTo(process).hasSize(1);

        next.destroy();
        assertThat(next.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(pids(instance)).isEmpty();
    }
}
