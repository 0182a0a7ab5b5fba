package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The schemas of every event's payload, compiled once. */
public final class EventSchemas {
    private final Map<String, SchemaCheck> checks = new TreeMap<>();
    private final SchemaCheck envelope;

    private EventSchemas(JsonNode bundled) {
        var texts = bundled.properties().stream()
                .collect(Collectors.toMap(e -> e.getValue().path("$id").asText(), e -> e.getValue()
                        .toString()));
        var schemas = new Schemas(texts);
        bundled.properties()
                .forEach(e -> checks.put(
                        e.getKey(), schemas.at(e.getValue().path("$id").asText())));
        envelope = java.util.Objects.requireNonNull(checks.remove("envelope"));
    }

    public static EventSchemas load() {
        return new EventSchemas(Schemas.resource("events.json"));
    }

    /** The event types, each with its version: {@code apps.instance.running.v1}. */
    public List<String> types() {
        return List.copyOf(checks.keySet());
    }

    /** What is wrong with a record's bytes as an event; empty when nothing is. */
    public List<FieldProblem> check(JsonNode record) {
        var problems = new ArrayList<FieldProblem>(0);
        envelope.check(record, problems);
        if (problems.isEmpty()) {
            var name = record.path("event_type").asText() + ".v"
                    + record.path("version").asInt();
            check(checks.get(name), name, record.path("payload"), problems);
        }
        return problems;
    }

    private static void check(@Nullable SchemaCheck check, String name, JsonNode payload, List<FieldProblem> problems) {
        if (check == null) {
            problems.add(new FieldProblem("event_type", "has no schema: " + name));
        } else {
            check.check(payload, problems);
        }
    }
}
