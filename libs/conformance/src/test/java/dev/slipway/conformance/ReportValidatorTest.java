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
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the rules that apply to every report. */
class ReportValidatorTest {
    private static final UUID ADAPTER = Ids.next();
    private static final String MEMBER = "01890000-0000-7000-8000-000000000001";

    private final RunState state = new RunState();
    private final FakeTokenEndpoint tokens = new FakeTokenEndpoint();
    private ReportValidator reportValidator;
    private SentCommand operate;

    @BeforeEach
    void open() throws Exception {
        var profile = ConformanceProfile.example();
        var runtime = new RuntimeProbe(profile.probe(), null);
        var heartbeats = new HeartbeatChecker(ADAPTER, profile.backend(), tokens);
        reportValidator = new ReportValidator(
                state, tokens, runtime, new ReportRules(profile, Path.of("/var/lib/adapter")), heartbeats, () -> true);
        state.beginScenario("validated");
        var instance = state.createInstance();
        var payload = new CommandPayloads(profile, state).create(instance, 1).put("operation", "echo.say");
        payload.set("input", Json.object());
        operate = state.add(CommandKind.OPERATE, instance, payload);
    }

    private List<String> violatedClauses() {
        return state.findings("validated").stream()
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

    private void receive(Envelope report) {
        var key = report.payload().path("app_instance_id").asText();
        receive(key, report.toBytes(), tokens.issue(operate.id()).value(), Instant.now());
    }

    private void receive(String key, byte[] value, String token, Instant appendedAt) {
        var headers = new RecordHeaders();
        if (token != null) {
            headers.add("authorization", ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
        }
        reportValidator.validate(new ConsumerRecord<>(
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
    void validate_findsNothing_whenOperationSucceeds() {
        receive(report("accepted", payload()));
        receive(report("progress", payload().put("percent", 10)));
        receive(report("progress", payload().put("percent", 10).put("message", "half way")));
        var end = report("operation", payload().put("status", "succeeded"));
        receive(end);
        receive(end);
        assertThat(violatedClauses()).isEmpty();
        assertThat(operate.finalReport()).isNotNull();
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
    void validate_reportsClause_whenFieldIsWrong(String field, String value, String clause) {
        receive(report("accepted", payload().put(field, value)));
        assertThat(violatedClauses()).containsExactly(clause);
    }

    @Test
    void validate_reportsClause_whenGenerationDiffers() {
        receive(report("accepted", payload().put("generation", 7)));
        assertThat(violatedClauses()).containsExactly("P-15");
    }

    @Test
    void validate_reportsClause_whenKeyDiffers() {
        var report = report("accepted", payload());
        receive("another", report.toBytes(), tokens.issue(operate.id()).value(), Instant.now());
        assertThat(violatedClauses()).containsExactly("P-4");
    }

    @Test
    @Proves("2.68")
    void validate_reportsClause_whenCorrelationIdDiffers() {
        var report = new Envelope(Ids.next(), "runtime.report.accepted", Instant.now(), 1, "made-up", payload());
        receive(report);
        assertThat(violatedClauses()).containsExactly("P-5");
    }

    @Test
    void validate_reportsClause_whenRecordIsNotAReport() {
        var token = tokens.issue(operate.id()).value();
        receive("k", "nonsense".getBytes(StandardCharsets.UTF_8), token, Instant.now());
        receive("k", operate.event().toBytes(), token, Instant.now());
        assertThat(violatedClauses()).containsExactly("P-3");
        assertThat(state.findings("validated")).hasSize(2);
    }

    @Test
    void validate_reportsClause_whenTokenIsWrong() {
        var key = operate.instance().id().toString();
        receive(key, report("accepted", payload()).toBytes(), null, Instant.now());
        receive(key, report("accepted", payload()).toBytes(), "made-up", Instant.now());
        receive(key, report("accepted", payload()).toBytes(), tokens.issue(null).value(), Instant.now());
        receive(
                key,
                report("accepted", payload()).toBytes(),
                tokens.issue(Ids.next()).value(),
                Instant.now());
        assertThat(violatedClauses()).containsExactly("P-7");
        assertThat(state.findings("validated")).hasSize(4);
    }

    @Test
    void validate_reportsClause_whenTokenIsExpired() {
        var key = operate.instance().id().toString();
        tokens.setLifetime(Duration.ofSeconds(10));
        var token = tokens.issue(operate.id()).value();
        receive(
                key,
                report("accepted", payload()).toBytes(),
                token,
                Instant.now().plusSeconds(10));
        assertThat(violatedClauses()).as("within the clock tolerance").isEmpty();
        receive(
                key,
                report("accepted", payload()).toBytes(),
                token,
                Instant.now().plusSeconds(20));
        assertThat(violatedClauses()).containsExactly("P-8");
    }

    @Test
    void validate_reportsClause_whenPercentageDecreases() {
        receive(report("progress", payload().put("percent", 50)));
        receive(report("progress", payload().put("percent", 40)));
        assertThat(violatedClauses()).containsExactly("P-27");
    }

    @Test
    void validate_reportsClause_whenReportIsNotAllowed() {
        receive(report("deploying", payload()));
        assertThat(violatedClauses()).containsExactly("P-17");
    }

    @Test
    void validate_reportsClause_whenCommandEndsTwice() {
        receive(report("operation", payload().put("status", "succeeded")));
        receive(report("operation", payload().put("status", "succeeded")));
        assertThat(violatedClauses()).containsExactly("P-18");
    }

    @Test
    void validate_reportsClause_whenReasonIsMissing() {
        receive(report("operation", payload().put("status", "failed")));
        assertThat(violatedClauses()).containsExactly("P-21");
    }

    @Test
    void validate_reportsClause_whenReportIdIsReused() {
        var first = report("progress", payload().put("percent", 1));
        receive(first);
        receive(new Envelope(
                first.eventId(),
                first.eventType(),
                first.occurredAt(),
                1,
                first.correlationId(),
                payload().put("percent", 2)));
        assertThat(violatedClauses()).containsExactly("P-32");
    }

    @Test
    void validate_reportsClause_whenMemberIsUnknown() {
        var payload = payload();
        payload.putArray("members")
                .addObject()
                .put("member_id", MEMBER)
                .put("generation", 1)
                .put("state", "ready");
        receive(report("members", payload));
        assertThat(violatedClauses()).containsExactly("P-29");
    }

    @Test
    void validate_reportsClause_whenADetailHasAPathOfTheHost() {
        var payload = payload();
        payload.putArray("members")
                .addObject()
                .put("member_id", MEMBER)
                .put("generation", 1)
                .put("state", "ready")
                .putObject("adapter_detail")
                .put("log", "/var/lib/adapter/instances/1/log");
        receive(report("members", payload));
        assertThat(state.findings("validated"))
                .anySatisfy(finding -> assertThat(finding.observation()).contains("a path of the host"));
    }

    @Test
    void validate_checksTokenAndId_ofHeartbeats() {
        var beat = Json.object()
                .put("adapter_id", ADAPTER.toString())
                .put("runtime_backend", "bare_metal")
                .put("started_at", Instant.now().toString());
        var own = tokens.issue(null).value();
        receive(ADAPTER.toString(), report("heartbeat", beat).toBytes(), own, Instant.now());
        assertThat(violatedClauses()).isEmpty();
        receive(
                ADAPTER.toString(),
                report("heartbeat", beat).toBytes(),
                tokens.issue(operate.id()).value(),
                Instant.now());
        receive("another", report("heartbeat", beat).toBytes(), own, Instant.now());
        receive(
                ADAPTER.toString(),
                report("heartbeat", beat.deepCopy().put("runtime_backend", "ray"))
                        .toBytes(),
                own,
                Instant.now());
        assertThat(violatedClauses()).containsExactly("P-6", "P-4", "P-31");
    }
}
