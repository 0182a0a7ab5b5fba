package dev.slipway.adapter;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.testing.SimulatedPlatform;
import dev.slipway.adapter.testing.SimulatedPlatform.Report;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

class AdapterHostTest {
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
        if (host != null) {
            get(host.stop());
        }
        platform.close();
        get(vertx.close());
        telemetry.close();
    }

    private void host(int maxConcurrent) throws Exception {
        host = new AdapterHost(
                vertx, platform.adapterConfig(home.resolve("journal"), maxConcurrent), telemetry.traces(), adapter);
        get(host.start());
    }

    @CanIgnoreReturnValue
    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @CanIgnoreReturnValue
    private Envelope deploy(UUID instance) throws Exception {
        var command = platform.deploy(instance, Json.object(), Json.object().put("message", "hello"));
        platform.send(command);
        return command;
    }

    private List<String> types(UUID instance) {
        return platform.reports(instance).stream().map(Report::type).toList();
    }

    private List<UUID> ids(UUID instance) {
        return platform.reports(instance).stream().map(r -> r.event().eventId()).toList();
    }

    private String journal() throws Exception {
        var text = new StringBuilder();
        try (var files = Files.walk(home.resolve("journal"))) {
            for (var file :
                    files.filter(file -> file.toString().endsWith(".json")).toList()) {
                text.append(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
            }
        }
        return text.toString();
    }

    @Test
    @Proves("2.18")
    void deploy_isReportedWithCorrelationIdAndTraceOfCommand() throws Exception {
        host(4);
        var instance = Ids.next();
        var command = deploy(instance);

        var running = platform.awaitReport(instance, "running");

        assertThat(types(instance)).containsExactly("deploying", "running");
        for (var report : platform.reports(instance)) {
            assertThat(report.event().correlationId()).isEqualTo(command.correlationId());
            assertThat(report.headers().get("traceparent")).contains(SimulatedPlatform.TRACE_ID);
            assertThat(report.headers().get("baggage")).contains(command.correlationId());
            assertThat(report.headers())
                    .containsEntry("ce_id", report.event().eventId().toString());
            assertThat(report.text("command_id")).isEqualTo(command.eventId().toString());
        }
        assertThat(running.event().payload().path("endpoints")).hasSize(1);
        assertThat(platform.api().taskTokenRequests())
                .as("one token per command")
                .isEqualTo(1);
    }

    @Test
    void command_isExecutedOnce_whenRedelivered() throws Exception {
        // Given a command that is delivered twice, and again after its instance was deleted and the adapter restarted
        host(4);
        var instance = Ids.next();
        var command = deploy(instance);
        platform.awaitReport(instance, "running");
        platform.send(command);
        platform.send(platform.delete(instance));
        platform.awaitReport(instance, "deleted");
        get(host.stop());
        platform.send(command);
        host(4);

        // When another command follows on its partition, so that it must have been consumed
        var later = deploy(instance);
        platform.awaitReport(r -> r.type().equals("running")
                && r.text("command_id").equals(later.eventId().toString()));

        assertThat(adapter.deployed).as("once per command").containsExactly(instance, instance);
        assertThat(types(instance))
                .as("a redelivered command repeats its outcome, unless the instance is deleted")
                .containsExactly("deploying", "running", "running", "accepted", "deleted", "deploying", "running");
    }

    @Test
    void command_isExecutedAgain_whenAdapterIsKilledAfterTheEffect() throws Exception {
        var config = platform.adapterConfig(home.resolve("journal"), 4);
        var effects = home.resolve("effects");
        var instance = Ids.next();
        var process = CrashingAdapter.start(config, effects, true);
        deploy(instance);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(effects).hasContent(instance.toString());

        host(4);
        platform.awaitReport(instance, "running");

        assertThat(adapter.deployed).containsExactly(instance);
        assertThat(types(instance)).endsWith("running").containsOnlyOnce("running");
    }

    @Test
    void report_isSentWithItsId_whenAdapterIsKilledBeforeSending() throws Exception {
        // Given an adapter that executed a command, cannot report it and is killed
        platform.api().rejectTaskTokens(503, "unavailable");
        var config = platform.adapterConfig(home.resolve("journal"), 4);
        var instance = Ids.next();
        var process = CrashingAdapter.start(config, home.resolve("effects"), false);
        deploy(instance);
        var log = home.resolve("journal").resolve(instance + ".json");
        eventually(() -> assertThat(reportsIn(log).size() == 2).isTrue());
        assertThat(process.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
        var journalled = reportsIn(log);

        // When it restarts
        platform.api().acceptTaskTokens();
        host(4);
        platform.awaitReport(instance, "running");

        // Then the reports are sent unchanged, and the command is not executed again
        assertThat(ids(instance)).isEqualTo(journalled);
        assertThat(adapter.deployed).isEmpty();
        assertThat(home.resolve("effects")).hasContent(instance.toString());
    }

    private static List<UUID> reportsIn(Path log) {
        try {
            return InstanceLogJson.read(Files.readAllBytes(log)).reports().stream()
                    .map(Message::id)
                    .toList();
        } catch (java.io.IOException e) {
            return List.of();
        }
    }

    @Test
    void report_keepsItsId_whenSentTwice() throws Exception {
        // Given a journal that lacks the broker's acknowledgement
        platform.api().rejectTaskTokens(503, "unavailable");
        host(4);
        var instance = Ids.next();
        deploy(instance);
        var log = home.resolve("journal").resolve(instance + ".json");
        eventually(() -> assertThat(reportsIn(log).size() == 2).isTrue());
        var before = Files.readAllBytes(log);
        platform.api().acceptTaskTokens();
        platform.awaitReport(instance, "running");
        get(host.stop());
        Files.write(log, before);

        // When the adapter starts with it
        host(4);
        platform.awaitReport(r -> ids(instance).size() == 4);

        // Then the platform receives the same report
        var ids = ids(instance);
        assertThat(ids.subList(2, 4)).isEqualTo(ids.subList(0, 2));
    }

    @Test
    void delete_cancelsRunningDeploy_andFollowsIt() throws Exception {
        host(4);
        var instance = Ids.next();
        adapter.gates.put(instance, Promise.promise());
        deploy(instance);
        eventually(() -> assertThat(adapter.deployed.contains(instance)).isTrue());

        platform.send(platform.delete(instance));
        platform.awaitReport(instance, "deleted");

        assertThat(types(instance)).containsExactly("deploying", "accepted", "deleted");
        assertThat(adapter.deleted).containsExactly(instance);
    }

    @Test
    void deploy_reportsBlocker_whenLimitIsReached_andDeleteDoesNotWait() throws Exception {
        host(1);
        var slow = Ids.next();
        var waiting = Ids.next();
        var unwanted = Ids.next();
        var other = Ids.next();
        adapter.gates.put(slow, Promise.promise());
        deploy(slow);
        eventually(() -> assertThat(adapter.deployed.contains(slow)).isTrue());
        deploy(waiting);
        deploy(unwanted);

        assertThat(platform.awaitReport(waiting, "deploying").text("message")).startsWith("waiting: 1 of 1");
        platform.awaitReport(unwanted, "deploying");
        platform.send(platform.delete(unwanted));
        platform.send(platform.delete(other));
        platform.awaitReport(unwanted, "deleted");
        platform.awaitReport(other, "deleted");
        assertThat(adapter.deployed).containsExactly(slow);

        adapter.gates.get(slow).complete(TestAdapter.RUNNING);
        platform.awaitReport(waiting, "running");
        assertThat(adapter.deployed).containsExactly(slow, waiting);
    }

    @Test
    void deploy_doesNotBlockOtherInstances_whenSlow() throws Exception {
        host(2);
        var slow = Ids.next();
        adapter.gates.put(slow, Promise.promise());
        deploy(slow);
        for (var i = 0; i < 5; i++) {
            var quick = Ids.next();
            deploy(quick);
            platform.awaitReport(quick, "running");
        }
        assertThat(types(slow)).containsExactly("deploying");
    }

    @Test
    void reports_areSent_whenTaskIsUnknownAtFirst() throws Exception {
        platform.api().rejectTaskTokens(409, "task_unknown");
        host(4);
        var instance = Ids.next();
        deploy(instance);
        eventually(() -> assertThat(platform.api().taskTokenRequests() >= 3).isTrue());

        platform.api().acceptTaskTokens();

        platform.awaitReport(instance, "running");
        assertThat(types(instance)).containsExactly("deploying", "running");
    }

    @Test
    void reports_areDiscarded_whenTheirCommandHasEnded() throws Exception {
        platform.api().rejectTaskTokens(403, "task_ended");
        host(4);
        var instance = Ids.next();
        deploy(instance);
        eventually(() -> assertThat(platform.api().taskTokenRequests() >= 2).isTrue());

        platform.api().acceptTaskTokens();
        platform.send(platform.delete(instance));

        platform.awaitReport(instance, "deleted");
        assertThat(types(instance)).doesNotContain("deploying", "running");
    }

    @Test
    void token_isNeitherJournaledNorLogged() throws Exception {
        var logged = new ListAppender<ILoggingEvent>();
        var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        logged.start();
        root.addAppender(logged);
        try {
            host(4);
            var instance = Ids.next();
            adapter.gates.put(instance, Promise.promise());
            deploy(instance);
            platform.awaitReport(instance, "deploying"); // the token is in the host's memory from here on
            platform.api().rejectTaskTokens(401, "unauthenticated");
            var other = Ids.next();
            deploy(other);
            eventually(() -> assertThat(platform.api().taskTokenRequests() >= 2).isTrue());
            adapter.gates.get(instance).complete(new Failed("no more room"));
            platform.awaitReport(instance, "failed");

            eventually(() -> assertThat(List.copyOf(logged.list).stream()
                            .anyMatch(e -> e.getLevel().levelStr.equals("ERROR")))
                    .isTrue());
            assertThat(journal()).contains(instance.toString()).doesNotContain("token-for", "s3cret");
            assertThat(List.copyOf(logged.list)).allSatisfy(e -> assertThat(e.getFormattedMessage()
                            + e.getKeyValuePairs()
                            + ThrowableProxyUtil.asString(e.getThrowableProxy()))
                    .doesNotContain("token-for", "s3cret"));
        } finally {
            root.detachAppender(logged);
        }
    }

    @Test
    void laterFailure_isReportedOnDeployCommand() throws Exception {
        host(4);
        var instance = Ids.next();
        var command = deploy(instance);
        platform.awaitReport(instance, "running");
        get(host.stop());
        host(4);

        get(host.reportOutcome(instance, new Failed("the process died")));
        var failed = platform.awaitReport(instance, "failed");
        platform.send(platform.delete(instance));
        platform.awaitReport(instance, "deleted");
        get(host.reportOutcome(instance, new Failed("too late")));

        assertThat(failed.text("command_id")).isEqualTo(command.eventId().toString());
        assertThat(failed.text("reason")).isEqualTo("the process died");
        assertThat(failed.event().correlationId()).isEqualTo(command.correlationId());
        assertThat(journal()).doesNotContain("too late");
    }

    @Test
    void deploy_isRetried_whenAdapterThrows() throws Exception {
        host(4);
        adapter.failsOnce = true;
        var instance = Ids.next();
        deploy(instance);

        platform.awaitReport(instance, "running");

        assertThat(adapter.deployed).containsExactly(instance, instance);
    }

    @Test
    void record_isSkipped_whenNotACommand() throws Exception {
        host(4);
        var instance = Ids.next();
        platform.send(instance.toString(), "not an envelope".getBytes(StandardCharsets.UTF_8));
        var incomplete = platform.delete(instance);
        incomplete.payload().remove("generation");
        platform.send(incomplete);
        deploy(instance);

        platform.awaitReport(instance, "running");

        assertThat(adapter.deleted).isEmpty();
    }
}
