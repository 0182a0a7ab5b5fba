package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** What is wrong with a report alone, whatever the scenario. */
class JudgeTest {
    private static final UUID ADAPTER = Ids.next();
    private static final String MEMBER = "01890000-0000-7000-8000-000000000001";

    private final Ledger ledger = new Ledger();
    private final TokenDesk tokens = new TokenDesk();
    private Judge judge;
    private Command operate;

    @BeforeEach
    void open() throws Exception {
        var profile = Profile.example();
        var world = new World(profile.probe(), null);
        var heartbeats = new Heartbeats(ADAPTER, profile.backend(), tokens);
        judge = new Judge(ledger, tokens, world, new TaskRules(profile), heartbeats, () -> true);
        ledger.begin("judged");
        var instance = ledger.instance();
        var payload = new Payloads(profile, ledger).of(instance, 1).put("operation", "echo.say");
        payload.set("input", Json.object());
        operate = ledger.add(Kind.OPERATE, instance, payload);
    }

    private List<String> broken() {
        return ledger.findings("judged").stream()
                .map(Finding::clause)
                .map(Clause::id)
                .distinct()
                .toList();
    }

    private ObjectNode payload() {
        return Json.object()
                .put("org_id", operate.instance().org().toString())
                .put("project_id", operate.instance().project().toString())
                .put("app_instance_id", operate.instance().id().toString())
                .put("command_id", operate.id().toString())
                .put("generation", operate.generation())
                .put("operation_id", operate.field("operation_id").asText());
    }

    private Envelope report(String type, ObjectNode payload) {
        return new Envelope(
                Ids.next(),
                "runtime.report." + type,
                Instant.now(),
                1,
                operate.event().correlationId(),
                payload);
    }

    private void take(Envelope report) {
        var key = report.payload().path("app_instance_id").asText();
        take(key, report.toBytes(), tokens.issue(operate.id()).value(), Instant.now());
    }

    private void take(String key, byte[] value, String token, Instant appendedAt) {
        var headers = new RecordHeaders();
        if (token != null) {
            headers.add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        }
        judge.take(new ConsumerRecord<>(
                "reports",
                0,
                0,
                appendedAt.toEpochMilli(),
                TimestampType.LOG_APPEND_TIME,
                0,
                value.length,
                key,
                value,
                headers,
                Optional.empty()));
    }

    @Test
    void take_findsNothing_inAnOperationThatEndsAsItShould() {
        take(report("accepted", payload()));
        take(report("progress", payload().put("percent", 10)));
        take(report("progress", payload().put("percent", 10).put("message", "half way")));
        var end = report("operation", payload().put("status", "succeeded"));
        take(end);
        take(end);
        assertThat(broken()).isEmpty();
        assertThat(operate.end()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "org_id, 01890000-0000-7000-8000-00000000000a, P-10",
        "project_id, 01890000-0000-7000-8000-00000000000a, P-10",
        "command_id, 01890000-0000-7000-8000-00000000000a, P-10",
        "app_instance_id, 01890000-0000-7000-8000-00000000000a, P-10",
        "operation_id, 01890000-0000-7000-8000-00000000000a, P-26",
        "colour, blue, P-3"
    })
    void take_namesTheClause_whenAFieldIsWrong(String field, String value, String clause) {
        take(report("accepted", payload().put(field, value)));
        assertThat(broken()).containsExactly(clause);
    }

    @Test
    void take_namesTheClause_ofAnotherGeneration() {
        take(report("accepted", payload().put("generation", 7)));
        assertThat(broken()).containsExactly("P-15");
    }

    @Test
    void take_namesTheClause_ofAnotherKey() {
        var report = report("accepted", payload());
        take("another", report.toBytes(), tokens.issue(operate.id()).value(), Instant.now());
        assertThat(broken()).containsExactly("P-4");
    }

    @Test
    @Proves("2.68")
    void take_namesTheClause_ofAnotherCorrelation() {
        var report = new Envelope(Ids.next(), "runtime.report.accepted", Instant.now(), 1, "made-up", payload());
        take(report);
        assertThat(broken()).containsExactly("P-5");
    }

    @Test
    void take_namesTheClause_ofWhatIsNoReport() {
        var token = tokens.issue(operate.id()).value();
        take("k", "nonsense".getBytes(StandardCharsets.UTF_8), token, Instant.now());
        take("k", operate.event().toBytes(), token, Instant.now());
        assertThat(broken()).containsExactly("P-3");
        assertThat(ledger.findings("judged")).hasSize(2);
    }

    @Test
    void take_namesTheClause_ofAWrongToken() {
        var key = operate.instance().id().toString();
        take(key, report("accepted", payload()).toBytes(), null, Instant.now());
        take(key, report("accepted", payload()).toBytes(), "made-up", Instant.now());
        take(key, report("accepted", payload()).toBytes(), tokens.issue(null).value(), Instant.now());
        take(
                key,
                report("accepted", payload()).toBytes(),
                tokens.issue(Ids.next()).value(),
                Instant.now());
        assertThat(broken()).containsExactly("P-7");
        assertThat(ledger.findings("judged")).hasSize(4);
    }

    @Test
    void take_namesTheClause_ofATokenThatHadEnded() {
        var key = operate.instance().id().toString();
        tokens.lifetime(Duration.ofSeconds(10));
        var token = tokens.issue(operate.id()).value();
        take(key, report("accepted", payload()).toBytes(), token, Instant.now().plusSeconds(10));
        assertThat(broken()).as("clocks differ a little").isEmpty();
        take(key, report("accepted", payload()).toBytes(), token, Instant.now().plusSeconds(20));
        assertThat(broken()).containsExactly("P-8");
    }

    @Test
    void take_namesTheClause_whenAPercentageSinks() {
        take(report("progress", payload().put("percent", 50)));
        take(report("progress", payload().put("percent", 40)));
        assertThat(broken()).containsExactly("P-27");
    }

    @Test
    void take_namesTheClause_ofAReportThatHasNoPlaceOnItsCommand() {
        take(report("deploying", payload()));
        assertThat(broken()).containsExactly("P-17");
    }

    @Test
    void take_namesTheClause_ofASecondEnd() {
        take(report("operation", payload().put("status", "succeeded")));
        take(report("operation", payload().put("status", "succeeded")));
        assertThat(broken()).containsExactly("P-18");
    }

    @Test
    void take_namesTheClause_ofAFailureWithoutAReason() {
        take(report("operation", payload().put("status", "failed")));
        assertThat(broken()).containsExactly("P-21");
    }

    @Test
    void take_namesTheClause_whenAnIdStandsForTwoReports() {
        var first = report("progress", payload().put("percent", 1));
        take(first);
        take(new Envelope(
                first.eventId(),
                first.eventType(),
                first.occurredAt(),
                1,
                first.correlationId(),
                payload().put("percent", 2)));
        assertThat(broken()).containsExactly("P-32");
    }

    @Test
    void take_namesTheClause_ofAMemberThatNobodyIssued() {
        var payload = payload();
        payload.putArray("members")
                .addObject()
                .put("member_id", MEMBER)
                .put("generation", 1)
                .put("state", "ready");
        take(report("members", payload));
        assertThat(broken()).containsExactly("P-29");
    }

    @Test
    void take_judgesHeartbeats_byTheAdaptersOwnTokenAndId() {
        var beat = Json.object()
                .put("adapter_id", ADAPTER.toString())
                .put("runtime_backend", "bare_metal")
                .put("started_at", Instant.now().toString());
        var own = tokens.issue(null).value();
        take(ADAPTER.toString(), report("heartbeat", beat).toBytes(), own, Instant.now());
        assertThat(broken()).isEmpty();
        take(
                ADAPTER.toString(),
                report("heartbeat", beat).toBytes(),
                tokens.issue(operate.id()).value(),
                Instant.now());
        take("another", report("heartbeat", beat).toBytes(), own, Instant.now());
        take(
                ADAPTER.toString(),
                report("heartbeat", beat.deepCopy().put("runtime_backend", "ray"))
                        .toBytes(),
                own,
                Instant.now());
        assertThat(broken()).containsExactly("P-6", "P-4", "P-31");
    }
}
