package dev.slipway.adapter;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.testing.SimulatedPlatform;
import dev.slipway.adapter.testing.SimulatedPlatform.Report;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static dev.slipway.adapter.testing.SimulatedPlatform.newMember;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests all commands except deploy and delete on one shared host. */
class AdapterOperationsTest {
    @TempDir
    static Path home;

    private static final Telemetry TELEMETRY = Telemetry.start(Map.of());
    private static final Vertx VERTX = TELEMETRY.vertx(new VertxOptions()).build();
    private static final TestAdapter ADAPTER = new TestAdapter();
    private static SimulatedPlatform platform;
    private static AdapterHost host;

    private final UUID instance = Ids.next();

    @BeforeAll
    static void start() throws Exception {
        platform = new SimulatedPlatform(home, "bare_metal");
        host = new AdapterHost(VERTX, platform.adapterConfig(home.resolve("journal"), 4), TELEMETRY.traces(), ADAPTER);
        get(host.start());
    }

    @AfterAll
    static void stop() throws Exception {
        get(host.stop());
        platform.close();
        get(VERTX.close());
        TELEMETRY.close();
    }

    @CanIgnoreReturnValue
    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @CanIgnoreReturnValue
    private Envelope deploy() throws Exception {
        var command = platform.deploy(instance, Json.object(), Json.object());
        platform.send(command);
        platform.awaitReport(instance, "running");
        return command;
    }

    private Envelope upgrade(int generation) {
        var command = platform.upgrade("upgrade", instance, "1.0.0", "1.1.0", Json.object(), Json.object());
        command.payload().put("generation", generation);
        return command;
    }

    private Report end(Envelope command) {
        return platform.awaitReport(r -> r.type().equals("operation") && r.isAbout(command));
    }

    private List<String> types(Envelope command) {
        return platform.reports(instance).stream()
                .filter(r -> r.isAbout(command))
                .map(Report::type)
                .toList();
    }

    @Test
    void upgrade_reportsAcknowledgementProgressAndOperation_andLaterStatesReferToIt() throws Exception {
        deploy();
        var upgrade = upgrade(2);
        platform.send(upgrade);

        var end = end(upgrade);

        assertThat(types(upgrade)).startsWith("accepted").containsSubsequence("progress", "operation");
        assertThat(end.text("status")).isEqualTo("succeeded");
        assertThat(end.text("operation_id"))
                .isEqualTo(upgrade.payload().path("operation_id").asText());
        assertThat(end.event().payload().at("/endpoints/0/name").asText()).isEqualTo("http");
        var waiting = platform.awaitReport(
                r -> r.isAbout(upgrade) && r.event().payload().at("/blockers/0").isObject());
        assertThat(waiting.event().payload().at("/percent").asInt())
                .as("keeps the last percentage")
                .isEqualTo(40);
        assertThat(waiting.event().payload().at("/blockers/0/turn").asText()).isEqualTo("adapter");

        get(host.reportOutcome(instance, TestAdapter.RUNNING));
        var later = platform.awaitReport(r -> r.type().equals("running") && r.isAbout(upgrade));
        assertThat(later.event().payload().path("generation").asInt()).isEqualTo(2);
    }

    @Test
    void operation_failsWithReason_whenAdapterDoesNotSupportIt() throws Exception {
        deploy();
        var rollback = platform.upgrade("rollback", instance, "1.0.0", "0.9.0", Json.object(), Json.object());
        platform.send(rollback);

        var end = end(rollback);

        assertThat(end.text("status")).isEqualTo("failed");
        assertThat(end.text("reason")).isEqualTo("the bare_metal adapter does not support rollbacks");
    }

    @Test
    void operations_reportMemberStatesAndOutput() throws Exception {
        deploy();
        var member = newMember("server");
        var add = platform.member(instance, "add", member);
        var ping = platform.operate(instance, "echo.ping", Json.object());
        platform.send(add);
        platform.send(ping);

        assertThat(end(add).text("status")).isEqualTo("succeeded");
        assertThat(end(ping).event().payload().at("/output/answer").asInt()).isEqualTo(42);
        var ready = platform.awaitReport(r -> r.type().equals("members") && r.isAbout(add));
        assertThat(ready.event().payload().at("/members/0/member_id").asText())
                .isEqualTo(member.path("member_id").asText());
        assertThat(ready.event().payload().at("/members/0/component_key").asText())
                .isEqualTo("node-7");
    }

    @Test
    void command_isReportedButNotExecuted_whenRedelivered() throws Exception {
        deploy();
        var held = Promise.<Outcome>promise();
        ADAPTER.gates.put(instance, held);
        var ping = platform.operate(instance, "echo.ping", Json.object());
        platform.send(ping);
        platform.awaitReport(r -> r.type().equals("accepted") && r.isAbout(ping));

        // When it is redelivered during execution, and again after its end
        ping.payload().put("attempt", 2);
        platform.send(ping);
        platform.awaitReport(r -> types(ping).size() == 2);
        held.complete(new Outcome.Done());
        var end = end(ping);
        ping.payload().put("attempt", 3);
        platform.send(ping);
        platform.awaitReport(r -> types(ping).size() == 4);

        assertThat(types(ping)).containsExactly("accepted", "accepted", "operation", "operation");
        assertThat(platform.reports(instance).stream().map(r -> r.event().eventId()))
                .as("same report id")
                .filteredOn(end.event().eventId()::equals)
                .hasSize(2);
        assertThat(ADAPTER.operations).containsOnlyOnce("echo.ping " + instance);
    }

    @Test
    void command_isDropped_whenGenerationIsOlder() throws Exception {
        deploy();
        platform.send(upgrade(3));
        var stale = upgrade(2);
        platform.send(stale);
        var ping = platform.operate(instance, "echo.ping", Json.object());
        ping.payload().put("generation", 3);
        platform.send(ping);

        assertThat(end(ping).text("status")).isEqualTo("succeeded");

        assertThat(types(stale)).isEmpty();
        assertThat(ADAPTER.operations).containsOnlyOnce("upgrade " + instance);
    }

    @Test
    void cancel_stopsRunningAndPendingCommands_andIsAcknowledged() throws Exception {
        deploy();
        ADAPTER.gates.put(instance, Promise.promise());
        var upgrade = upgrade(2);
        var ping = platform.operate(instance, "echo.ping", Json.object());
        ping.payload().put("generation", 2);
        platform.send(upgrade);
        platform.send(ping);
        platform.awaitReport(r -> r.type().equals("accepted") && r.isAbout(ping));
        var cancelPing = platform.cancel(ping);
        var cancelUpgrade = platform.cancel(upgrade);
        cancelPing.payload().put("generation", 2);
        cancelUpgrade.payload().put("generation", 2);

        platform.send(cancelPing);
        platform.send(cancelUpgrade);

        assertThat(end(upgrade).text("status")).isEqualTo("canceled");
        assertThat(end(ping).text("reason")).isEqualTo("canceled before it was started");
        assertThat(types(cancelPing)).containsExactly("accepted");
        assertThat(types(cancelUpgrade)).containsExactly("accepted");
        assertThat(ADAPTER.operations).doesNotContain("echo.ping " + instance);
    }

    @Test
    void command_fails_whenDeadlinePasses() throws Exception {
        deploy();
        ADAPTER.gates.put(instance, Promise.promise());
        var late = platform.operate(instance, "echo.ping", Json.object());
        late.payload().put("deadline_at", Instant.now().minusSeconds(1).toString());
        var slow = upgrade(2);
        slow.payload().put("deadline_at", Instant.now().plusMillis(1_500).toString());
        platform.send(late);
        platform.send(slow);

        assertThat(end(late).text("status")).isEqualTo("failed");
        assertThat(end(slow).text("reason")).contains("deadline");
        assertThat(end(slow).text("status")).isEqualTo("failed");
    }

    @Test
    void delete_supersedesPendingCommands() throws Exception {
        deploy();
        ADAPTER.gates.put(instance, Promise.promise());
        var upgrade = upgrade(2);
        var ping = platform.operate(instance, "echo.ping", Json.object());
        ping.payload().put("generation", 2);
        platform.send(upgrade);
        platform.send(ping);
        platform.awaitReport(r -> r.type().equals("accepted") && r.isAbout(ping));
        var delete = platform.delete(instance);
        delete.payload().put("generation", 3);

        platform.send(delete);
        platform.awaitReport(instance, "deleted");

        assertThat(types(upgrade)).doesNotContain("operation");
        assertThat(types(ping)).containsExactly("accepted");
        assertThat(ADAPTER.operations).doesNotContain("echo.ping " + instance);
    }

    @Test
    void reporter_sendsMembersAndUsage_outsideOfCommands() throws Exception {
        var deploy = deploy();
        var used = UsageWindow.of(
                instance, "app_runtime_hour", new BigDecimal("0.25"), Instant.EPOCH, Instant.EPOCH.plusSeconds(900));
        var memberRef = MemberRef.parse(newMember("server"));
        get(host.reportUsage(instance, used));
        get(host.reportMembers(
                instance,
                List.of(MemberState.of(memberRef, State.FAILED, "node-7").withReason("it burns"))));
        get(host.reportUsage(Ids.next(), used)); // of one that never was: nothing

        var usage = platform.awaitReport(instance, "usage");
        assertThat(usage.text("quantity")).isEqualTo("0.25");
        assertThat(usage.text("usage_id")).isEqualTo(used.usageId().toString());
        assertThat(usage.isAbout(deploy)).isTrue();
        var failed = platform.awaitReport(instance, "members");
        assertThat(failed.event().payload().at("/members/0/reason").asText()).isEqualTo("it burns");
    }

    @Test
    void heartbeat_isSentRepeatedly_withOneAdapterToken() {
        eventually(() -> assertThat(heartbeats()).hasSizeGreaterThan(2));

        assertThat(heartbeats().get(0).text("runtime_backend")).isEqualTo("bare_metal");
        // One for heartbeats, and one for reading the desired state.
        assertThat(platform.api().adapterTokenRequests()).isEqualTo(2);
    }

    private static List<Report> heartbeats() {
        return platform.heartbeats();
    }
}
