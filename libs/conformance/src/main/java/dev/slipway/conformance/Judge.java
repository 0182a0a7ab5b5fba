package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.conformance.World.Health;
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

/** Judges every report as it comes in. Scenarios see a report when it has been judged. */
final class Judge {
    private final EventSchemas schemas = EventSchemas.load();
    private final Ledger ledger;
    private final TokenDesk tokens;
    private final World world;
    private final TaskRules rules;
    private final Heartbeats heartbeats;
    private final BooleanSupplier adapterRuns;

    Judge(
            Ledger ledger,
            TokenDesk tokens,
            World world,
            TaskRules rules,
            Heartbeats heartbeats,
            BooleanSupplier adapterRuns) {
        this.ledger = ledger;
        this.tokens = tokens;
        this.world = world;
        this.rules = rules;
        this.heartbeats = heartbeats;
        this.adapterRuns = adapterRuns;
    }

    void take(ConsumerRecord<String, byte[]> record) {
        try {
            var event = wellFormed(record);
            if (event != null) {
                take(new Report(
                        event,
                        record.key(),
                        Wire.header(record, "authorization"),
                        Instant.ofEpochMilli(record.timestamp())));
            }
        } catch (RuntimeException e) {
            ledger.fail(e);
        }
    }

    private @Nullable Envelope wellFormed(ConsumerRecord<String, byte[]> record) {
        var where = "record " + record.partition() + "/" + record.offset() + " ";
        try {
            var json = Json.parse(record.value());
            var type = json.path("event_type").asText();
            var problems = schemas.check(json);
            if (!problems.isEmpty()) {
                var problem = problems.get(0);
                ledger.note(
                        instance(json),
                        new Finding(Clause.MESSAGES, where + type + ": " + problem.field() + " " + problem.problem()));
                return null;
            }
            if (!type.startsWith("runtime.report.")) {
                ledger.note(null, new Finding(Clause.MESSAGES, where + "is a " + type));
                return null;
            }
            return Envelope.fromBytes(record.value());
        } catch (IOException | MalformedEnvelopeException e) {
            ledger.note(null, new Finding(Clause.MESSAGES, where + "is not an envelope: " + e.getMessage()));
            return null;
        }
    }

    private @Nullable Instance instance(JsonNode json) {
        var id = json.path("payload").path("app_instance_id").asText();
        try {
            return ledger.instance(id.isEmpty() ? null : UUID.fromString(id));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void take(Report report) {
        if (report.is("heartbeat")) {
            heartbeats.take(report).forEach(finding -> ledger.note(null, finding));
            ledger.change(() -> {});
            return;
        }
        var command = ledger.command(UUID.fromString(report.text("command_id")));
        var first = ledger.first(report.event());
        if (first != null) {
            if (!first.payload().equals(report.event().payload())) {
                ledger.note(
                        command == null ? null : command.instance(),
                        new Finding(Clause.SAME_REPORT, "report " + first.eventId() + " came again as another"));
            }
            return; // a repeat of what is known changes nothing
        }
        if (command == null || !command.instance().id().toString().equals(report.text("app_instance_id"))) {
            ledger.note(
                    command == null ? null : command.instance(),
                    new Finding(
                            Clause.OWN_TASKS,
                            report.type() + " for instance " + report.text("app_instance_id") + " on command "
                                    + report.text("command_id") + ", which is none of that instance's"));
            return;
        }
        var fault = tokens.faultOf(report, command.id());
        if (fault != null) {
            ledger.note(command.instance(), fault);
        }
        ledger.read(() -> rules.check(report, command)).forEach(finding -> ledger.note(command.instance(), finding));
        seen(report, command);
        ledger.change(() -> record(report, command));
    }

    /** What a report says of the world is held against the world at once: later it may have become true. */
    private void seen(Report report, Command command) {
        var instance = command.instance();
        var urls = report.endpoints();
        ledger.change(() -> instance.urls().addAll(urls));
        var isCurrent = ledger.read(() -> command.generation() == instance.generation() && !instance.isForgotten());
        if (report.saysItRuns() && isCurrent && adapterRuns.getAsBoolean()) {
            urls.stream().filter(World::canBeAsked).forEach(url -> checkHealth(report, instance, url));
            if (urls.isEmpty() && world.seesEverything() && alive(instance).isEmpty()) {
                ledger.note(instance, new Finding(Clause.EFFECT_FIRST, report.plain() + " was said of nothing"));
            }
        } else if (report.is("deleted")) {
            var left = alive(instance);
            if (!left.isEmpty()) {
                ledger.note(instance, new Finding(Clause.NOTHING_LEFT, "deleted was said while there is " + left));
            }
        }
    }

    private void checkHealth(Report report, Instance instance, String url) {
        var sight = world.look(url);
        if (sight.health() == Health.WELL) {
            return;
        }
        var something = world.seesEverything() ? !alive(instance).isEmpty() : sight.health() == Health.SICK;
        var clause = something ? Clause.HEALTHY : Clause.EFFECT_FIRST;
        ledger.note(instance, new Finding(clause, report.plain() + " was said, and " + url + " " + sight.answer()));
    }

    private List<String> alive(Instance instance) {
        return world.alive(instance, ledger.read(() -> List.copyOf(instance.urls())));
    }

    private static void record(Report report, Command command) {
        command.reports().add(report);
        if (!command.isOver() && command.kind().isEndedBy(report.type())) {
            command.end(report);
        }
        if (report.is("deleted")) {
            command.instance().deleted();
        }
    }
}
