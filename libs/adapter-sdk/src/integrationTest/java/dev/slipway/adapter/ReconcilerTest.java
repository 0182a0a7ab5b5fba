package dev.slipway.adapter;

import dev.slipway.adapter.testing.SimulatedPlatform;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.adapter.testing.SimulatedPlatform.desiredStateItem;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class ReconcilerTest {
    @TempDir
    Path home;

    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx = telemetry.vertx(new VertxOptions()).build();
    private final TestAdapter adapter = new TestAdapter();
    private SimulatedPlatform platform;
    private AdapterHost host;

    @BeforeEach
    void start() throws Exception {
        platform = new SimulatedPlatform(home, "bare_metal");
    }

    @AfterEach
    void stop() throws Exception {
        await(host.stop());
        platform.close();
        await(vertx.close());
        telemetry.close();
    }

    private void host() throws Exception {
        host = new AdapterHost(vertx, platform.adapterConfig(home.resolve("journal"), 4), telemetry.traces(), adapter);
        await(host.start());
    }

    private static void await(Future<?> future) throws Exception {
        var ignored = future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private Envelope deploy(UUID instance) {
        return platform.deploy(instance, Json.object(), Json.object());
    }

    @Test
    void start_reconciles_whenPlatformResponds() throws Exception {
        // Given instances in every combination of states, deployed while the platform had no desired-state endpoint
        host();
        var known = deploy(Ids.next());
        var lost = deploy(Ids.next());
        var unwanted = deploy(Ids.next());
        var orphan = deploy(Ids.next());
        for (var command : List.of(known, lost, unwanted, orphan)) {
            platform.send(command);
            platform.awaitReport(id(command), "running");
        }
        assertThat(platform.api().desiredStateRequests()).isPositive();
        await(host.stop());
        adapter.deployed.clear();
        adapter.runtime.remove(id(lost));
        var stray = Ids.next();
        adapter.runtime.add(stray);
        var unknownToAdapter = deploy(Ids.next());
        var openCommand = deploy(Ids.next());
        var failed = deploy(Ids.next());
        var delete = platform.delete(id(unwanted));
        delete.payload().put("generation", 2);
        var open = desiredStateItem(openCommand, "running", "requested");
        open.withArray("open_commands").add(Json.parse(openCommand.toBytes()));
        platform.api()
                .setDesiredState(List.of(
                        desiredStateItem(known, "running", "running"),
                        desiredStateItem(lost, "running", "running"),
                        desiredStateItem(delete, "deleted", "deleting"),
                        desiredStateItem(unknownToAdapter, "running", "running"),
                        open,
                        desiredStateItem(failed, "running", "failed")));

        // When the adapter starts
        host();

        // Then missing instances are launched, unwanted ones deleted, and the others left unchanged
        platform.awaitReport(r -> r.type().equals("running") && r.isAbout(unknownToAdapter));
        platform.awaitReport(r -> r.type().equals("running") && r.isAbout(openCommand));
        platform.awaitReport(r -> r.type().equals("deleted") && r.isAbout(delete));
        eventually(() -> assertThat(adapter.runtime)
                .containsExactlyInAnyOrder(id(known), id(lost), id(unknownToAdapter), id(openCommand)));
        assertThat(adapter.deployed).containsExactlyInAnyOrder(id(lost), id(unknownToAdapter), id(openCommand));
        assertThat(adapter.deleted).contains(stray, id(orphan), id(unwanted));
        assertThat(platform.reports(id(orphan)))
                .as("deleting an orphan is not reported")
                .noneMatch(r -> r.type().equals("deleted"));
    }

    @Test
    void start_deletesNothing_whenResponseHasNoItems() throws Exception {
        platform.api().returnMalformedPages();
        var stray = Ids.next();
        adapter.runtime.add(stray);
        host();
        eventually(() -> assertThat(platform.api().desiredStateRequests()).isGreaterThan(1));

        assertThat(adapter.deleted).isEmpty();
        platform.api().setDesiredState(List.of());
        eventually(() -> assertThat(adapter.deleted).containsExactly(stray));
    }

    private static UUID id(Envelope command) {
        return UUID.fromString(command.payload().path("app_instance_id").asText());
    }
}
