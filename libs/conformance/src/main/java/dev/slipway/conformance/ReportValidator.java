package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.conformance.RuntimeProbe.EndpointHealth;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** Validates every report on arrival, before scenarios see it. */
final class ReportValidator {
    private final EventSchemas schemas = EventSchemas.load();
    private final RunState state;
    private final FakeTokenEndpoint tokens;
    private final RuntimeProbe runtime;
    private final ReportRules rules;
    private final HeartbeatChecker heartbeats;
    private final BooleanSupplier adapterRuns;

    ReportValidator(
            RunState state,
            FakeTokenEndpoint tokens,
            RuntimeProbe runtime,
            ReportRules rules,
            HeartbeatChecker heartbeats,
            BooleanSupplier adapterRuns) {
        this.state = state;
        this.tokens = tokens;
        this.runtime = runtime;
        this.rules = rules;
        this.heartbeats = heartbeats;
        this.adapterRuns = adapterRuns;
    }

    void validate(ConsumerRecord<String, byte[]> record) {
        try {
            var event = parse(record);
            if (event != null) {
                validate(new ReceivedReport(
                        event,
                        record.key(),
                        KafkaChannel.header(record, "authorization"),
                        Instant.ofEpochMilli(record.timestamp())));
            }
        } catch (RuntimeException e) {
            state.fail(e);
        }
    }

    private @Nullable Envelope parse(ConsumerRecord<String, byte[]> record) {
        var where = "record " + record.partition() + "/" + record.offset() + " ";
        try {
            var json = Json.parse(record.value());
            var type = json.path("event_type").asText();
            var problems = schemas.validate(json);
            if (!problems.isEmpty()) {
                var problem = problems.get(0);
                state.addFinding(
                        instance(json),
                        new Finding(Clause.MESSAGES, where + type + ": " + problem.field() + " " + problem.problem()));
                return null;
            }
            if (!type.startsWith("runtime.report.")) {
                state.addFinding(null, new Finding(Clause.MESSAGES, where + "is a " + type));
                return null;
            }
            return Envelope.fromBytes(record.value());
        } catch (IOException | MalformedEnvelopeException e) {
            state.addFinding(null, new Finding(Clause.MESSAGES, where + "is not an envelope: " + e.getMessage()));
            return null;
        }
    }

    private @Nullable ScenarioInstance instance(JsonNode json) {
        var id = SentCommand.subjectId(json.path("payload"));
        try {
            return state.instance(id.isEmpty() ? null : UUID.fromString(id));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void validate(ReceivedReport report) {
        if (report.is("heartbeat")) {
            heartbeats.record(report).forEach(finding -> state.addFinding(null, finding));
            state.update(() -> {});
            return;
        }
        var command = state.command(UUID.fromString(report.text("command_id")));
        var first = state.putReport(report.event());
        if (first != null) {
            if (!first.payload().equals(report.event().payload())) {
                state.addFinding(
                        command == null ? null : command.instance(),
                        new Finding(
                                Clause.STABLE_REPORT_ID,
                                "report " + first.eventId() + " was sent again with different content"));
            }
            return; // a repeated report has no effect
        }
        if (command == null
                || !command.instance()
                        .id()
                        .toString()
                        .equals(SentCommand.subjectId(report.event().payload()))) {
            state.addFinding(
                    command == null ? null : command.instance(),
                    new Finding(
                            Clause.TASK_ISOLATION,
                            report.type() + " for "
                                    + SentCommand.subjectId(report.event().payload())
                                    + " on command " + report.text("command_id")
                                    + ", which does not belong to that instance"));
            return;
        }
        var fault = tokens.validate(report, command.id());
        if (fault != null) {
            state.addFinding(command.instance(), fault);
        }
        state.read(() -> rules.check(report, command))
                .forEach(finding -> state.addFinding(command.instance(), finding));
        verifyEffects(report, command);
        state.update(() -> record(report, command));
    }

    /** Verifies claims of a report immediately, because they may become true later. */
    private void verifyEffects(ReceivedReport report, SentCommand command) {
        var instance = command.instance();
        var urls = report.endpoints();
        state.update(() -> instance.urls().addAll(urls));
        var isCurrent = state.read(() -> command.generation() == instance.generation() && !instance.isForgotten());
        if (report.claimsRunning() && isCurrent && adapterRuns.getAsBoolean()) {
            urls.stream().filter(RuntimeProbe::isHttp).forEach(url -> checkHealth(report, instance, url));
            if (urls.isEmpty()
                    && runtime.listsAllEffects()
                    && findAlive(instance).isEmpty()) {
                state.addFinding(
                        instance,
                        new Finding(
                                Clause.EFFECT_BEFORE_REPORT,
                                report.describe() + " was reported, but the instance has no effects"));
            }
        } else if (report.is("deleted")) {
            var leftovers = findAlive(instance);
            if (!leftovers.isEmpty()) {
                state.addFinding(
                        instance,
                        new Finding(
                                Clause.COMPLETE_CLEANUP,
                                "deleted was reported, but the runtime still has " + leftovers));
            }
        }
    }

    private void checkHealth(ReceivedReport report, ScenarioInstance instance, String url) {
        var check = runtime.checkEndpoint(url);
        if (check.health() == EndpointHealth.HEALTHY) {
            return;
        }
        var something =
                runtime.listsAllEffects() ? !findAlive(instance).isEmpty() : check.health() == EndpointHealth.UNHEALTHY;
        var clause = something ? Clause.HEALTHY_WHEN_RUNNING : Clause.EFFECT_BEFORE_REPORT;
        state.addFinding(
                instance,
                new Finding(clause, report.describe() + " was reported, but " + url + " " + check.response()));
    }

    private List<String> findAlive(ScenarioInstance instance) {
        return runtime.findAlive(instance, state.read(() -> List.copyOf(instance.urls())));
    }

    private static void record(ReceivedReport report, SentCommand command) {
        command.reports().add(report);
        if (!command.isFinished() && command.kind().isEndedBy(report.type())) {
            command.finalReport(report);
        }
        if (report.is("deleted")) {
            command.instance().markDeleted();
        }
    }
}
