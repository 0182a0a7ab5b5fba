package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.SchemaLocation;
import dev.slipway.contract.Problem.FieldProblem;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A JSON Schema (2020-12) that somebody else wrote, such as the launch parameters of a manifest. It stands for itself: it refers to its
 * own parts by pointers only, so nothing is ever fetched to understand it; and its patterns are {@link BoundedPattern}s, so that no text
 * keeps a check from ending.
 */
public final class ForeignSchema {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
    private static final List<String> ONE = List.of(
            "items",
            "contains",
            "additionalProperties",
            "propertyNames",
            "if",
            "then",
            "else",
            "not",
            "unevaluatedItems",
            "unevaluatedProperties",
            "contentSchema");
    private static final List<String> MANY = List.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final List<String> BY_NAME = List.of("properties", "patternProperties", "$defs", "dependentSchemas");
    private static final Schemas LANGUAGE = new Schemas(Map.of());

    private final JsonSchema schema;

    private ForeignSchema(JsonNode node) {
        schema = LANGUAGE.foreign(node);
    }

    /** The schema; it must be without {@link #faults}. */
    public static ForeignSchema of(JsonNode node) {
        return new ForeignSchema(node);
    }

    /** What is wrong with a schema, by the pointers of the document that has it {@code at} a pointer; its defaults must be valid too. */
    public static List<FieldProblem> faults(String at, JsonNode node) {
        var problems = new ArrayList<FieldProblem>();
        LANGUAGE.at(DIALECT).check(at, node, problems);
        if (problems.isEmpty()) {
            checkReferences(at, node, problems);
            checkPatterns(at, node, problems);
        }
        if (problems.isEmpty()) {
            checkDefaults(at, node, problems);
        }
        return problems;
    }

    /** Adds a problem per fault of a value, by the pointers of the document that has the value {@code at} a pointer. */
    public void check(String at, JsonNode value, List<FieldProblem> problems) {
        new SchemaCheck(schema).check(at, value, problems);
    }

    /** Shows every schema inside, itself first, with its pointer. */
    static void each(String pointer, JsonNode node, BiConsumer<String, JsonNode> visitor) {
        visitor.accept(pointer, node);
        for (var name : ONE) {
            if (node.has(name)) {
                each(pointer + "/" + name, node.get(name), visitor);
            }
        }
        for (var name : MANY) {
            for (var i = 0; i < node.path(name).size(); i++) {
                each(pointer + "/" + name + "/" + i, node.path(name).get(i), visitor);
            }
        }
        for (var name : BY_NAME) {
            node.path(name)
                    .properties()
                    .forEach(field ->
                            each(pointer + "/" + name + "/" + escaped(field.getKey()), field.getValue(), visitor));
        }
    }

    private static void checkReferences(String at, JsonNode root, List<FieldProblem> problems) {
        Set<String> known = new HashSet<>();
        each("", root, (pointer, node) -> known.add(pointer));
        each("", root, (pointer, node) -> {
            for (var keyword : List.of("$id", "$dynamicRef", "$dynamicAnchor", "$anchor", "$vocabulary")) {
                if (node.has(keyword)) {
                    problems.add(new FieldProblem(
                            at + pointer + "/" + keyword, "is not supported: refer by $ref and a pointer"));
                }
            }
            if (node.has("$schema") && !node.path("$schema").asText().equals(DIALECT)) {
                problems.add(new FieldProblem(at + pointer + "/$schema", "is not " + DIALECT));
            }
            var ref = node.path("$ref").asText("#");
            if (!ref.startsWith("#") || !known.contains(ref.substring(1))) {
                problems.add(new FieldProblem(at + pointer + "/$ref", "refers to nothing in this schema"));
            }
        });
    }

    private static void checkPatterns(String at, JsonNode root, List<FieldProblem> problems) {
        each("", root, (pointer, node) -> {
            if (node.has("pattern")) {
                checkPattern(at + pointer + "/pattern", node.path("pattern").asText(), problems);
            }
            node.path("patternProperties")
                    .fieldNames()
                    .forEachRemaining(regex ->
                            checkPattern(at + pointer + "/patternProperties/" + escaped(regex), regex, problems));
        });
    }

    private static void checkPattern(String at, String regex, List<FieldProblem> problems) {
        var fault = BoundedPattern.fault(regex);
        if (fault != null) {
            problems.add(new FieldProblem(at, fault));
        }
    }

    private static void checkDefaults(String at, JsonNode root, List<FieldProblem> problems) {
        var schema = LANGUAGE.foreign(root);
        each("", root, (pointer, node) -> {
            if (node.has("default")) {
                var part = pointer.isEmpty() ? schema : schema.getSubSchema(SchemaLocation.Fragment.of(pointer));
                new SchemaCheck(part).check(at + pointer + "/default", node.get("default"), problems);
            }
        });
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
