package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress.Step;
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
    private final Message deploy = Samples.command(Samples.deploy(instance));
    private final Message delete = Samples.command(Samples.delete(instance));
    private final InstanceLog empty = InstanceLog.empty(instance);

    private Message outcome(Message command, Outcome outcome) {
        return ReportMessages.outcome(command, outcome, command.trace());
    }

    private Message saying(String text) {
        return ReportMessages.deploying(deploy.task(), text, Map.of());
    }

    @Test
    void knows_isTrue_whileACommandWaitsAndAfterItIsOver() {
        var waiting = empty.accept(deploy, List.of());
        var over = waiting.finish(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(empty.knows(deploy.id())).isFalse();
        assertThat(waiting.knows(deploy.id())).isTrue();
        assertThat(over.knows(deploy.id())).isTrue();
        assertThat(over.commands()).isEmpty();
    }

    @Test
    void finish_keepsWhatLaterReportsNeed_butNotTheDocuments() {
        var over = empty.accept(deploy, List.of()).finish(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(over.deployed()).isNotNull();
        assertThat(over.deployed().task()).isEqualTo(deploy.task());
        assertThat(over.deployed().event().payload().has("config")).isFalse();
        assertThat(over.reports()).hasSize(1);
    }

    @Test
    void finish_settlesTheLog_whenDeletedAndReported() {
        var gone = outcome(delete, new Deleted());
        var log = empty.accept(deploy, List.of())
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(delete, List.of())
                .finish(delete, new Deleted(), gone);

        assertThat(log.isSettled()).isFalse();
        assertThat(log.sent(log.reports().get(0)).sent(gone).isSettled()).isTrue();
    }

    @Test
    void finish_keepsTheDeployment_whenItsDeleteFailed() {
        var failed = new Failed("the node does not answer");
        var log = empty.accept(deploy, List.of())
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(delete, List.of())
                .finish(delete, failed, outcome(delete, failed));

        assertThat(log.deployed()).isNotNull();
    }

    @Test
    void isSuperseded_isTrue_onlyForADeploymentWithADeleteBehindIt() {
        assertThat(empty.isSuperseded()).isFalse();
        assertThat(empty.accept(deploy, List.of()).isSuperseded()).isFalse();
        assertThat(empty.accept(delete, List.of()).isSuperseded()).isFalse();
        assertThat(empty.accept(deploy, List.of()).accept(delete, List.of()).isSuperseded())
                .isTrue();
        assertThat(empty.accept(deploy, List.of())
                        .accept(delete, List.of())
                        .drop(deploy)
                        .isSuperseded())
                .isFalse();
    }

    @Test
    void report_keepsTheFirstAndTheLatestWord_whenTheBrokerIsAwayForLong() {
        var first = saying("first");
        var last = saying("last");
        var log = empty.accept(deploy, List.of())
                .report(first)
                .report(saying("second"))
                .report(saying("third"))
                .report(last);

        assertThat(log.reports()).containsExactly(first, last);
    }

    @Test
    void fromBytes_isWhatWasWritten() throws Exception {
        var log = empty.accept(deploy, List.of())
                .report(saying("taken up"))
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(cancel, List.of(ReportMessages.accepted(cancel)))
                .accept(operate, List.of())
                .begin(operate)
                .accept(delete, List.of());

        assertThat(InstanceLogJson.read(InstanceLogJson.write(log))).isEqualTo(log);
    }

    @Test
    void reports_areAsTheContractSays() throws Exception {
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
                outcome(operate, new Outcome.Canceled("not wanted any more")),
                ReportMessages.progress(
                        upgrade.task(),
                        new Step(250, "x".repeat(5_000), List.of(Blocker.ofAdapter("no_room", "the machine is full"))),
                        Map.of()),
                ReportMessages.progress(upgrade.task(), new Step(null, "", List.of()), Map.of()),
                ReportMessages.members(
                        deploy.task(),
                        List.of(
                                new MemberState(Ids.next(), 1, State.READY, null, null, Json.object()),
                                new MemberState(Ids.next(), 2, State.FAILED, "node-7", "x".repeat(5_000), TOO_LONG)),
                        Map.of()),
                ReportMessages.usage(
                        deploy.task(),
                        Usage.of(instance, "app_runtime_hour", new BigDecimal("1E-6"), Instant.EPOCH, Instant.now()),
                        Map.of()));

        for (var report : reports) {
            assertThat(schemas.check(Json.parse(report.event().toBytes())))
                    .as(report.event().eventType())
                    .isEmpty();
            assertThat(report.event().correlationId())
                    .isIn(Stream.of(deploy, delete, upgrade, operate)
                            .map(command -> command.event().correlationId())
                            .toList());
        }
    }

    private final Message upgrade = Samples.command(Samples.launch(Kind.UPGRADE, instance, 2, "1.1.0"));
    private final Message operate = Samples.command(Samples.operate(instance));
    private final Message cancel = Samples.command(Samples.cancel(instance, operate.id()));

    private InstanceLog deployed() {
        return empty.accept(deploy, List.of()).finish(deploy, RUNNING, outcome(deploy, RUNNING));
    }

    @Test
    void isSuperseded_isTrue_forAnOperationWithADeleteBehindIt() {
        assertThat(empty.accept(operate, List.of()).isSuperseded()).isFalse();
        assertThat(empty.accept(operate, List.of())
                        .accept(upgrade, List.of())
                        .accept(delete, List.of())
                        .isSuperseded())
                .isTrue();
    }

    @Test
    void finish_keepsTheVersionThatRuns_whenAnUpgradeFails() {
        var failed = new Failed("it was not healthy");
        var kept = deployed().accept(upgrade, List.of()).finish(upgrade, failed, outcome(upgrade, failed));
        var changed = deployed().accept(upgrade, List.of()).finish(upgrade, RUNNING, outcome(upgrade, RUNNING));

        assertThat(kept.deployed().id())
                .as("later reports are of the new generation")
                .isEqualTo(upgrade.id());
        var later = ReportMessages.later(kept.deployed(), kept.runs(), RUNNING)
                .event()
                .payload();
        assertThat(later.path("app_version").asText()).isEqualTo("1.0.0");
        assertThat(later.path("generation").asInt()).isEqualTo(2);
        assertThat(ReportMessages.later(changed.deployed(), changed.runs(), RUNNING)
                        .event()
                        .payload()
                        .has("app_version"))
                .isFalse();
    }

    @Test
    void accept_remembersACancellation_untilItsCommandIsOver_alsoWhenItCameFirst() {
        var before = empty.accept(cancel, List.of());
        assertThat(before.commands()).isEmpty();
        assertThat(before.knows(cancel.id())).isTrue();
        assertThat(before.isCanceled(operate)).isTrue();

        var canceled = new Outcome.Canceled("canceled");
        var over = before.accept(operate, List.of()).finish(operate, canceled, outcome(operate, canceled));
        assertThat(over.canceled()).isEmpty();
        assertThat(over.accept(Samples.command(Samples.cancel(instance, operate.id())), List.of())
                        .canceled())
                .as("too late")
                .isEmpty();
    }

    @Test
    void repeat_saysHowTheCommandEnded_orThatItIsHere_once() {
        var waiting = empty.accept(operate, List.of()).repeat(operate);
        assertThat(waiting.reports()).singleElement().matches(r -> r.is(ReportMessages.ACCEPTED));
        assertThat(waiting.repeat(operate).reports()).hasSize(1);

        var done = new Outcome.Done();
        var report = outcome(operate, done);
        var over =
                empty.accept(operate, List.of()).finish(operate, done, report).sent(report);
        assertThat(over.repeat(operate).repeat(operate).reports()).containsExactly(report);

        var gone = over.accept(delete, List.of()).finish(delete, new Deleted(), outcome(delete, new Deleted()));
        assertThat(gone.repeat(operate)).as("after the end of the instance").isEqualTo(gone);
    }

    @Test
    void outcomes_areBounded_andGoneWithTheInstance() {
        var log = deployed();
        for (var i = 0; i < 100; i++) {
            var next = Samples.command(Samples.operate(instance));
            log = log.accept(next, List.of()).finish(next, new Outcome.Done(), outcome(next, new Outcome.Done()));
        }
        assertThat(log.outcomes()).hasSize(8);
        assertThat(log.handled()).hasSize(101);

        var gone = log.accept(delete, List.of()).finish(delete, new Deleted(), outcome(delete, new Deleted()));
        assertThat(gone.outcomes()).hasSize(1);
    }

    @Test
    void forget_leavesNothingToReport_asNobodyWouldTakeIt() {
        var orphan = Message.ofOrphan(deployed());
        var log = deployed().accept(orphan, List.of()).forget(orphan);

        assertThat(log.isSettled()).isTrue();
        assertThat(orphan.task().orgId()).isEqualTo(deploy.task().orgId());
        assertThat(Message.ofOrphan(empty).task().appInstanceId()).isEqualTo(instance);
    }

    @Test
    void read_takesAJournalOfAnEarlierVersion() throws Exception {
        var log = deployed().accept(upgrade, List.of());
        var old = (ObjectNode) Json.parse(InstanceLogJson.write(log));
        old.remove(List.of("generation", "outcomes", "canceled", "begun", "runs"));

        var read = InstanceLogJson.read(Json.bytes(old));

        assertThat(read.generation()).isEqualTo(2);
        assertThat(read.begun()).as("the adapter may have been called").isEqualTo(upgrade.id());
        assertThat(read.runs()).isEqualTo("1.0.0");
        assertThat(read.outcomes()).isEmpty();
        assertThat(read.commands()).isEqualTo(log.commands());
        assertThat(read.deployed()).isEqualTo(log.deployed());
    }

    @Test
    void command_isRefused_whenItIsOfNoKnownKindOrHasNoOperation() {
        var event = Samples.operate(instance);
        event.payload().remove("operation_id");
        assertThatThrownBy(() -> Samples.command(event)).hasMessageContaining("operation_id");
        var unknown = new Envelope(
                Ids.next(),
                "runtime.command.dance",
                Instant.now(),
                1,
                "corr",
                deploy.event().payload());
        assertThatThrownBy(() -> Samples.command(unknown)).hasMessageContaining("dance");
    }

    @Test
    void command_keepsOnlyTheTraceOfItsHeaders() {
        assertThat(deploy.trace()).containsOnlyKeys("traceparent");
    }
}
