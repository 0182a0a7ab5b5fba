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
 * A JSON Schema (2020-12) written by a tenant, such as the launch parameters of a manifest. It is self-contained: references are pointers
 * into the schema itself, so nothing is fetched. Its patterns are {@link LinearTimePattern}s, so every validation terminates quickly.
 */
public final class UntrustedSchema {
    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
    private static final List<String> SINGLE_KEYWORDS = List.of(
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
    private static final List<String> LIST_KEYWORDS = List.of("allOf", "anyOf", "oneOf", "prefixItems");
    private static final List<String> MAP_KEYWORDS =
            List.of("properties", "patternProperties", "$defs", "dependentSchemas");
    private static final SchemaCompiler COMPILER = new SchemaCompiler(Map.of());

    private final JsonSchema schema;

    private UntrustedSchema(JsonNode node) {
        schema = COMPILER.compileUntrusted(node);
    }

    /** Compiles a schema for which {@link #validate} found no problems. */
    public static UntrustedSchema of(JsonNode node) {
        return new UntrustedSchema(node);
    }

    /** Validates a schema and its defaults; {@code at} is the JSON pointer of the schema within its document. */
    public static List<FieldProblem> validate(String at, JsonNode node) {
        var problems = new ArrayList<FieldProblem>();
        COMPILER.validatorAt(DIALECT).validate(at, node, problems);
        if (problems.isEmpty()) {
            validateReferences(at, node, problems);
            validatePatterns(at, node, problems);
        }
        if (problems.isEmpty()) {
            validateDefaults(at, node, problems);
        }
        return problems;
    }

    /** Validates a value against this schema; {@code at} is the JSON pointer of the value within its document. */
    public void validateValue(String at, JsonNode value, List<FieldProblem> problems) {
        new SchemaValidator(schema).validate(at, value, problems);
    }

    /** Calls the visitor with a schema and all of its subschemas, each with its JSON pointer. */
    static void visitSubschemas(String pointer, JsonNode node, BiConsumer<String, JsonNode> visitor) {
        visitor.accept(pointer, node);
        for (var name : SINGLE_KEYWORDS) {
            if (node.has(name)) {
                visitSubschemas(pointer + "/" + name, node.get(name), visitor);
            }
        }
        for (var name : LIST_KEYWORDS) {
            for (var i = 0; i < node.path(name).size(); i++) {
                visitSubschemas(pointer + "/" + name + "/" + i, node.path(name).get(i), visitor);
            }
        }
        for (var name : MAP_KEYWORDS) {
            node.path(name)
                    .properties()
                    .forEach(field -> visitSubschemas(
                            pointer + "/" + name + "/" + escapePointer(field.getKey()), field.getValue(), visitor));
        }
    }

    private static void validateReferences(String at, JsonNode root, List<FieldProblem> problems) {
        Set<String> known = new HashSet<>();
        visitSubschemas("", root, (pointer, node) -> known.add(pointer));
        visitSubschemas("", root, (pointer, node) -> {
            for (var keyword : List.of("$id", "$dynamicRef", "$dynamicAnchor", "$anchor", "$vocabulary")) {
                if (node.has(keyword)) {
                    problems.add(new FieldProblem(
                            at + pointer + "/" + keyword, "is not supported; use $ref with a JSON pointer"));
                }
            }
            if (node.has("$schema") && !node.path("$schema").asText().equals(DIALECT)) {
                problems.add(new FieldProblem(at + pointer + "/$schema", "must be " + DIALECT));
            }
            var ref = node.path("$ref").asText("#");
            if (!ref.startsWith("#") || !known.contains(ref.substring(1))) {
                problems.add(new FieldProblem(at + pointer + "/$ref", "must refer to a part of this schema"));
            }
        });
    }

    private static void validatePatterns(String at, JsonNode root, List<FieldProblem> problems) {
        visitSubschemas("", root, (pointer, node) -> {
            if (node.has("pattern")) {
                validatePattern(at + pointer + "/pattern", node.path("pattern").asText(), problems);
            }
            node.path("patternProperties")
                    .fieldNames()
                    .forEachRemaining(regex -> validatePattern(
                            at + pointer + "/patternProperties/" + escapePointer(regex), regex, problems));
        });
    }

    private static void validatePattern(String at, String regex, List<FieldProblem> problems) {
        var fault = LinearTimePattern.rejectionReason(regex);
        if (fault != null) {
            problems.add(new FieldProblem(at, fault));
        }
    }

    private static void validateDefaults(String at, JsonNode root, List<FieldProblem> problems) {
        var schema = COMPILER.compileUntrusted(root);
        visitSubschemas("", root, (pointer, node) -> {
            if (node.has("default")) {
                var part = pointer.isEmpty() ? schema : schema.getSubSchema(SchemaLocation.Fragment.of(pointer));
                new SchemaValidator(part).validate(at + pointer + "/default", node.get("default"), problems);
            }
        });
    }

    private static String escapePointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
