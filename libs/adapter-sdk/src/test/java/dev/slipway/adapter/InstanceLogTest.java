package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress.ProgressUpdate;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InstanceLogTest {
    private static final Running RUNNING = new Running(List.of(new Endpoint("http", "http://127.0.0.1:1")));

    private static final ObjectNode TOO_LONG = Json.object().put("text", "x".repeat(20_000));

    private final UUID instance = Ids.next();
    private final Message deploy = SampleCommands.command(SampleCommands.deploy(instance));
    private final Message delete = SampleCommands.command(SampleCommands.delete(instance));
    private final InstanceLog empty = InstanceLog.empty(instance);

    private Message outcome(Message command, Outcome outcome) {
        return ReportMessages.outcome(command, outcome, command.trace());
    }

    private Message saying(String text) {
        return ReportMessages.deploying(deploy.task(), text, Map.of());
    }

    @Test
    void isKnown_isTrue_whenCommandIsPendingOrFinished() {
        var waiting = empty.withCommand(deploy, List.of());
        var over = waiting.withOutcome(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(empty.isKnown(deploy.id())).isFalse();
        assertThat(waiting.isKnown(deploy.id())).isTrue();
        assertThat(over.isKnown(deploy.id())).isTrue();
        assertThat(over.commands()).isEmpty();
    }

    @Test
    void withOutcome_keepsLaunchCommandWithoutDocuments() {
        var over = empty.withCommand(deploy, List.of()).withOutcome(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(over.deployed()).isNotNull();
        assertThat(over.deployed().task()).isEqualTo(deploy.task());
        assertThat(over.deployed().event().payload().has("config")).isFalse();
        assertThat(over.reports()).hasSize(1);
    }

    @Test
    void withOutcome_makesLogRemovable_whenDeletedAndReported() {
        var gone = outcome(delete, new Deleted());
        var log = empty.withCommand(deploy, List.of())
                .withOutcome(deploy, RUNNING, outcome(deploy, RUNNING))
                .withCommand(delete, List.of())
                .withOutcome(delete, new Deleted(), gone);

        assertThat(log.isRemovable()).isFalse();
        assertThat(log.withoutReport(log.reports().get(0)).withoutReport(gone).isRemovable())
                .isTrue();
    }

    @Test
    void withOutcome_keepsDeployment_whenDeleteFailed() {
        var failed = new Failed("the node does not answer");
        var log = empty.withCommand(deploy, List.of())
                .withOutcome(deploy, RUNNING, outcome(deploy, RUNNING))
                .withCommand(delete, List.of())
                .withOutcome(delete, failed, outcome(delete, failed));

        assertThat(log.deployed()).isNotNull();
    }

    @Test
    void isSuperseded_isTrue_whenDeleteFollowsDeploy() {
        assertThat(empty.isSuperseded()).isFalse();
        assertThat(empty.withCommand(deploy, List.of()).isSuperseded()).isFalse();
        assertThat(empty.withCommand(delete, List.of()).isSuperseded()).isFalse();
        assertThat(empty.withCommand(deploy, List.of())
                        .withCommand(delete, List.of())
                        .isSuperseded())
                .isTrue();
        assertThat(empty.withCommand(deploy, List.of())
                        .withCommand(delete, List.of())
                        .withoutCommand(deploy)
                        .isSuperseded())
                .isFalse();
    }

    @Test
    void withReport_keepsFirstAndLatestProgress_whenBrokerIsUnavailable() {
        var first = saying("first");
        var last = saying("last");
        var log = empty.withCommand(deploy, List.of())
                .withReport(first)
                .withReport(saying("second"))
                .withReport(saying("third"))
                .withReport(last);

        assertThat(log.reports()).containsExactly(first, last);
    }

    @Test
    void read_returnsWrittenValue() throws Exception {
        var log = empty.withCommand(deploy, List.of())
                .withReport(saying("taken up"))
                .withOutcome(deploy, RUNNING, outcome(deploy, RUNNING))
                .withCommand(cancel, List.of(ReportMessages.accepted(cancel)))
                .withCommand(operate, List.of())
                .withStarted(operate)
                .withCommand(delete, List.of());

        assertThat(InstanceLogJson.read(InstanceLogJson.write(log))).isEqualTo(log);
    }

    @Test
    void reports_matchTheirSchemas() throws Exception {
        var schemas = EventSchemas.load();
        var reports = List.of(
                saying("x".repeat(5_000)),
                ReportMessages.deploying(deploy.task(), null, Map.of()),
                outcome(deploy, RUNNING),
                outcome(deploy, new Failed("y".repeat(5_000))),
                outcome(deploy, new Failed(" ")),
                outcome(deploy, new Outcome.Canceled("z")),
                outcome(delete, new Deleted()),
                ReportMessages.accepted(operate),
                outcome(upgrade, RUNNING),
                outcome(upgrade, new Failed("y".repeat(5_000))),
                outcome(operate, new Outcome.Done(Json.object().put("message", "hello"))),
                outcome(operate, new Outcome.Canceled("canceled")),
                ReportMessages.progress(
                        upgrade.task(),
                        new ProgressUpdate(
                                250, "x".repeat(5_000), List.of(Blocker.ofAdapter("no_room", "the machine is full"))),
                        Map.of()),
                ReportMessages.progress(upgrade.task(), new ProgressUpdate(null, "", List.of()), Map.of()),
                ReportMessages.members(
                        deploy.task(),
                        List.of(
                                new MemberState(Ids.next(), 1, State.READY, null, null, Json.object()),
                                new MemberState(Ids.next(), 2, State.FAILED, "node-7", "x".repeat(5_000), TOO_LONG)),
                        Map.of()),
                ReportMessages.usage(
                        deploy.task(),
                        UsageWindow.of(
                                instance, "app_runtime_hour", new BigDecimal("1E-6"), Instant.EPOCH, Instant.now()),
                        Map.of()));

        for (var report : reports) {
            assertThat(schemas.validate(Json.parse(report.event().toBytes())))
                    .as(report.event().eventType())
                    .isEmpty();
            assertThat(report.event().correlationId())
                    .isIn(Stream.of(deploy, delete, upgrade, operate)
                            .map(command -> command.event().correlationId())
                            .toList());
        }
    }

    private final Message upgrade =
            SampleCommands.command(SampleCommands.launch(CommandType.UPGRADE, instance, 2, "1.1.0"));
    private final Message operate = SampleCommands.command(SampleCommands.operate(instance));
    private final Message cancel = SampleCommands.command(SampleCommands.cancel(instance, operate.id()));

    private InstanceLog deployed() {
        return empty.withCommand(deploy, List.of()).withOutcome(deploy, RUNNING, outcome(deploy, RUNNING));
    }

    @Test
    void isSuperseded_isTrue_whenDeleteFollowsOperation() {
        assertThat(empty.withCommand(operate, List.of()).isSuperseded()).isFalse();
        assertThat(empty.withCommand(operate, List.of())
                        .withCommand(upgrade, List.of())
                        .withCommand(delete, List.of())
                        .isSuperseded())
                .isTrue();
    }

    @Test
    void withOutcome_keepsRunningVersion_whenUpgradeFails() {
        var failed = new Failed("it was not healthy");
        var failedUpgrade =
                deployed().withCommand(upgrade, List.of()).withOutcome(upgrade, failed, outcome(upgrade, failed));
        var changed =
                deployed().withCommand(upgrade, List.of()).withOutcome(upgrade, RUNNING, outcome(upgrade, RUNNING));

        assertThat(failedUpgrade.deployed().id())
                .as("later reports have the new generation")
                .isEqualTo(upgrade.id());
        var later = ReportMessages.stateChange(failedUpgrade.deployed(), failedUpgrade.runningVersion(), RUNNING)
                .event()
                .payload();
        assertThat(later.path("app_version").asText()).isEqualTo("1.0.0");
        assertThat(later.path("generation").asInt()).isEqualTo(2);
        assertThat(ReportMessages.stateChange(changed.deployed(), changed.runningVersion(), RUNNING)
                        .event()
                        .payload()
                        .has("app_version"))
                .isFalse();
    }

    @Test
    void withCommand_keepsCancellation_untilCanceledCommandEnds() {
        var before = empty.withCommand(cancel, List.of());
        assertThat(before.commands()).isEmpty();
        assertThat(before.isKnown(cancel.id())).isTrue();
        assertThat(before.isCanceled(operate)).isTrue();

        var canceled = new Outcome.Canceled("canceled");
        var over = before.withCommand(operate, List.of()).withOutcome(operate, canceled, outcome(operate, canceled));
        assertThat(over.canceledCommandIds()).isEmpty();
        assertThat(over.withCommand(SampleCommands.command(SampleCommands.cancel(instance, operate.id())), List.of())
                        .canceledCommandIds())
                .as("too late")
                .isEmpty();
    }

    @Test
    void withRepeatedReport_addsOutcomeOrAcknowledgementOnce() {
        var waiting = empty.withCommand(operate, List.of()).withRepeatedReport(operate);
        assertThat(waiting.reports()).singleElement().matches(r -> r.is(ReportMessages.ACCEPTED));
        assertThat(waiting.withRepeatedReport(operate).reports()).hasSize(1);

        var done = new Outcome.Done();
        var report = outcome(operate, done);
        var over = empty.withCommand(operate, List.of())
                .withOutcome(operate, done, report)
                .withoutReport(report);
        assertThat(over.withRepeatedReport(operate).withRepeatedReport(operate).reports())
                .containsExactly(report);

        var gone =
                over.withCommand(delete, List.of()).withOutcome(delete, new Deleted(), outcome(delete, new Deleted()));
        assertThat(gone.withRepeatedReport(operate)).as("after the delete").isEqualTo(gone);
    }

    @Test
    void outcomes_areLimited_andClearedOnDelete() {
        var log = deployed();
        for (var i = 0; i < 100; i++) {
            var next = SampleCommands.command(SampleCommands.operate(instance));
            log = log.withCommand(next, List.of())
                    .withOutcome(next, new Outcome.Done(), outcome(next, new Outcome.Done()));
        }
        assertThat(log.outcomes()).hasSize(8);
        assertThat(log.handledCommandIds()).hasSize(101);

        var gone =
                log.withCommand(delete, List.of()).withOutcome(delete, new Deleted(), outcome(delete, new Deleted()));
        assertThat(gone.outcomes()).hasSize(1);
    }

    @Test
    void withoutInstance_clearsReports() {
        var orphan = Message.orphanDelete(deployed());
        var log = deployed().withCommand(orphan, List.of()).withoutInstance(orphan);

        assertThat(log.isRemovable()).isTrue();
        assertThat(orphan.task().orgId()).isEqualTo(deploy.task().orgId());
        assertThat(Message.orphanDelete(empty).task().subjectId()).isEqualTo(instance);
    }

    @Test
    void read_acceptsFileOfEarlierVersion() throws Exception {
        var log = deployed().withCommand(upgrade, List.of());
        var old = (ObjectNode) Json.parse(InstanceLogJson.write(log));
        old.remove(List.of("generation", "outcomes", "canceled", "begun", "runs"));

        var read = InstanceLogJson.read(Json.bytes(old));

        assertThat(read.generation()).isEqualTo(2);
        assertThat(read.startedCommandId())
                .as("the adapter may have been called")
                .isEqualTo(upgrade.id());
        assertThat(read.runningVersion()).isEqualTo("1.0.0");
        assertThat(read.outcomes()).isEmpty();
        assertThat(read.commands()).isEqualTo(log.commands());
        assertThat(read.deployed()).isEqualTo(log.deployed());
    }

    @Test
    void parseCommand_throws_whenTypeIsUnknownOrOperationIdIsMissing() {
        var event = SampleCommands.operate(instance);
        event.payload().remove("operation_id");
        assertThatThrownBy(() -> SampleCommands.command(event)).hasMessageContaining("operation_id");
        var unknown = new Envelope(
                Ids.next(),
                "runtime.command.dance",
                Instant.now(),
                1,
                "corr",
                deploy.event().payload());
        assertThatThrownBy(() -> SampleCommands.command(unknown)).hasMessageContaining("dance");
    }

    @Test
    void parseCommand_keepsTraceHeadersOnly() {
        assertThat(deploy.trace()).containsOnlyKeys("traceparent");
    }
}
