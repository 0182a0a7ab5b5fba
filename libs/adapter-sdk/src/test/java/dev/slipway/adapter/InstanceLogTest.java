package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceLogTest {
    private static final Running RUNNING = new Running(List.of(new Endpoint("http", "http://127.0.0.1:1")));

    private final UUID instance = Ids.next();
    private final Message deploy = Samples.command(Samples.deploy(instance));
    private final Message delete = Samples.command(Samples.delete(instance));
    private final InstanceLog empty = InstanceLog.empty(instance);

    private Message outcome(Message command, Outcome outcome) {
        return Message.outcome(command.task(), outcome, command.trace());
    }

    private Message saying(String text) {
        return Message.deploying(deploy.task(), text, Map.of());
    }

    @Test
    void knows_isTrue_whileACommandWaitsAndAfterItIsOver() {
        var waiting = empty.accept(deploy);
        var over = waiting.finish(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(empty.knows(deploy.id())).isFalse();
        assertThat(waiting.knows(deploy.id())).isTrue();
        assertThat(over.knows(deploy.id())).isTrue();
        assertThat(over.commands()).isEmpty();
    }

    @Test
    void finish_keepsWhatLaterReportsNeed_butNotTheDocuments() {
        var over = empty.accept(deploy).finish(deploy, RUNNING, outcome(deploy, RUNNING));

        assertThat(over.deployed()).isNotNull();
        assertThat(over.deployed().task()).isEqualTo(deploy.task());
        assertThat(over.deployed().event().payload().has("config")).isFalse();
        assertThat(over.reports()).hasSize(1);
    }

    @Test
    void finish_settlesTheLog_whenDeletedAndReported() {
        var gone = outcome(delete, new Deleted());
        var log = empty.accept(deploy)
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(delete)
                .finish(delete, new Deleted(), gone);

        assertThat(log.isSettled()).isFalse();
        assertThat(log.sent(log.reports().get(0)).sent(gone).isSettled()).isTrue();
    }

    @Test
    void finish_keepsTheDeployment_whenItsDeleteFailed() {
        var failed = new Failed("the node does not answer");
        var log = empty.accept(deploy)
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(delete)
                .finish(delete, failed, outcome(delete, failed));

        assertThat(log.deployed()).isNotNull();
    }

    @Test
    void isSuperseded_isTrue_onlyForADeploymentWithADeleteBehindIt() {
        assertThat(empty.isSuperseded()).isFalse();
        assertThat(empty.accept(deploy).isSuperseded()).isFalse();
        assertThat(empty.accept(delete).isSuperseded()).isFalse();
        assertThat(empty.accept(deploy).accept(delete).isSuperseded()).isTrue();
        assertThat(empty.accept(deploy).accept(delete).drop(deploy).isSuperseded())
                .isFalse();
    }

    @Test
    void report_keepsTheFirstAndTheLatestWord_whenTheBrokerIsAwayForLong() {
        var first = saying("first");
        var last = saying("last");
        var log = empty.accept(deploy)
                .report(first)
                .report(saying("second"))
                .report(saying("third"))
                .report(last);

        assertThat(log.reports()).containsExactly(first, last);
    }

    @Test
    void fromBytes_isWhatWasWritten() throws Exception {
        var log = empty.accept(deploy)
                .report(saying("taken up"))
                .finish(deploy, RUNNING, outcome(deploy, RUNNING))
                .accept(delete);

        assertThat(InstanceLog.fromBytes(log.toBytes())).isEqualTo(log);
    }

    @Test
    void reports_areAsTheContractSays() throws Exception {
        var schemas = EventSchemas.load();
        var reports = List.of(
                saying("x".repeat(5_000)),
                Message.deploying(deploy.task(), null, Map.of()),
                outcome(deploy, RUNNING),
                outcome(deploy, new Failed("y".repeat(5_000))),
                outcome(deploy, new Failed(" ")),
                outcome(delete, new Deleted()));

        for (var report : reports) {
            assertThat(schemas.check(Json.parse(report.event().toBytes())))
                    .as(report.event().eventType())
                    .isEmpty();
            assertThat(report.event().correlationId())
                    .isIn(deploy.event().correlationId(), delete.event().correlationId());
        }
    }

    @Test
    void command_keepsOnlyTheTraceOfItsHeaders() {
        assertThat(deploy.trace()).containsOnlyKeys("traceparent");
    }
}
