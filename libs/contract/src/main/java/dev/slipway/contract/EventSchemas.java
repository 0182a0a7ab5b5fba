package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The compiled payload schemas of all events. */
public final class EventSchemas {
    private final Map<String, SchemaValidator> checks = new TreeMap<>();
    private final SchemaValidator envelope;

    private EventSchemas(JsonNode bundled) {
        var texts = bundled.properties().stream()
                .collect(Collectors.toMap(e -> e.getValue().path("$id").asText(), e -> e.getValue()
                        .toString()));
        var schemaCompiler = new SchemaCompiler(texts);
        bundled.properties()
                .forEach(e -> checks.put(
                        e.getKey(),
                        schemaCompiler.validatorAt(e.getValue().path("$id").asText())));
        envelope = java.util.Objects.requireNonNull(checks.remove("envelope"));
    }

    public static EventSchemas load() {
        return new EventSchemas(SchemaCompiler.loadResource("events.json"));
    }

    /** Returns all event types with their version, such as {@code apps.instance.running.v1}. */
    public List<String> types() {
        return List.copyOf(checks.keySet());
    }

    /** Validates a record value; returns no problems if it is a valid event. */
    public List<FieldProblem> validate(JsonNode record) {
        var problems = new ArrayList<FieldProblem>(0);
        envelope.validate(record, problems);
        if (problems.isEmpty()) {
            var name = record.path("event_type").asText() + ".v"
                    + record.path("version").asInt();
            validate(checks.get(name), name, record.path("payload"), problems);
        }
        return problems;
    }

    private static void validate(
            @Nullable SchemaValidator check, String name, JsonNode payload, List<FieldProblem> problems) {
        if (check == null) {
            problems.add(new FieldProblem("event_type", "has no schema: " + name));
        } else {
            check.validate(payload, problems);
        }
    }
}
