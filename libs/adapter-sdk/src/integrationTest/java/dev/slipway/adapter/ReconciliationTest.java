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

import static dev.slipway.adapter.testing.SimulatedPlatform.desired;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class ReconciliationTest {
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
        host = new AdapterHost(vertx, platform.adapter(home.resolve("journal"), 4), telemetry.traces(), adapter);
        await(host.start());
    }

    private static void await(Future<?> future) throws Exception {
        var ignored = future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    private Envelope deploy(UUID instance) {
        return platform.deploy(instance, Json.object(), Json.object());
    }

    @Test
    void start_comparesWithThePlatform_onceThatAnswers() throws Exception {
        // Given instances in every state of agreement, deployed while the platform knew of no desired states
        host();
        var known = deploy(Ids.next());
        var lost = deploy(Ids.next());
        var unwanted = deploy(Ids.next());
        var orphan = deploy(Ids.next());
        for (var command : List.of(known, lost, unwanted, orphan)) {
            platform.send(command);
            platform.await(id(command), "running");
        }
        assertThat(platform.tokens().listings()).isPositive();
        await(host.stop());
        adapter.deployed.clear();
        adapter.world.remove(id(lost));
        var stray = Ids.next();
        adapter.world.add(stray);
        var unheard = deploy(Ids.next());
        var untold = deploy(Ids.next());
        var failed = deploy(Ids.next());
        var delete = platform.delete(id(unwanted));
        delete.payload().put("generation", 2);
        var open = desired(untold, "running", "requested");
        open.withArray("open_commands").add(Json.parse(untold.toBytes()));
        platform.tokens()
                .desire(List.of(
                        desired(known, "running", "running"),
                        desired(lost, "running", "running"),
                        desired(delete, "deleted", "deleting"),
                        desired(unheard, "running", "running"),
                        open,
                        desired(failed, "running", "failed")));

        // When the adapter starts
        host();

        // Then what is missing is launched, what is not wanted is ended, and the rest is left alone
        platform.await(r -> r.type().equals("running") && r.isAbout(unheard));
        platform.await(r -> r.type().equals("running") && r.isAbout(untold));
        platform.await(r -> r.type().equals("deleted") && r.isAbout(delete));
        eventually(() ->
                assertThat(adapter.world).containsExactlyInAnyOrder(id(known), id(lost), id(unheard), id(untold)));
        assertThat(adapter.deployed).containsExactlyInAnyOrder(id(lost), id(unheard), id(untold));
        assertThat(adapter.deleted).contains(stray, id(orphan), id(unwanted));
        assertThat(platform.reports(id(orphan)))
                .as("of an orphan's end nobody wants to hear")
                .noneMatch(r -> r.type().equals("deleted"));
    }

    @Test
    void start_endsNothing_whenTheAnswerIsNoList() throws Exception {
        platform.tokens().answerNonsense();
        var stray = Ids.next();
        adapter.world.add(stray);
        host();
        eventually(() -> assertThat(platform.tokens().listings()).isGreaterThan(1));

        assertThat(adapter.deleted).isEmpty();
        platform.tokens().desire(List.of());
        eventually(() -> assertThat(adapter.deleted).containsExactly(stray));
    }

    private static UUID id(Envelope command) {
        return UUID.fromString(command.payload().path("app_instance_id").asText());
    }
}
