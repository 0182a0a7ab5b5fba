package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.SchemaLocation;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A JSON Schema (2020-12) written by a tenant, such as the launch parameters of a manifest. It is self-contained: references are pointers
 * into the schema itself, so nothing is fetched. Its patterns are {@link LinearTimePattern}s, its references form no cycles, and its size
 * and the work of a validation are limited, so every validation terminates quickly.
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

    private final String name;
    /** Null if the schema is too complex. Versions published before that was checked may contain such schemas. */
    private final @Nullable JsonSchema schema;

    private UntrustedSchema(String name, @Nullable JsonSchema schema) {
        this.name = name;
        this.schema = schema;
    }

    /**
     * Compiles a schema for which {@link #validate} found no problems.
     *
     * @param name names the schema in the problems of values, such as {@code launch.schema}
     */
    public static UntrustedSchema of(String name, JsonNode node) {
        return new UntrustedSchema(
                name,
                SchemaExpansion.findProblem(node) == null
                        ? COMPILER.compileUntrusted(node, EvaluationBudget::new)
                        : null);
    }

    /** Validates a schema and its defaults; {@code at} is the JSON pointer of the schema within its document. */
    public static List<FieldProblem> validate(String at, JsonNode node) {
        var problems = new ArrayList<FieldProblem>();
        // First: the dialect compiles patterns with Java's engine, so their length must be limited before.
        validatePatterns(at, node, problems);
        if (problems.isEmpty()) {
            COMPILER.validatorAt(DIALECT).validate(at, node, problems);
        }
        if (problems.isEmpty()) {
            validateReferences(at, node, problems);
        }
        if (problems.isEmpty()) {
            var tooComplex = SchemaExpansion.findProblem(node);
            if (tooComplex == null) {
                validateDefaults(at, node, problems);
            } else {
                problems.add(new FieldProblem(at + tooComplex.field(), tooComplex.problem()));
            }
        }
        return problems;
    }

    /**
     * Validates a value against this schema; {@code at} is the JSON pointer of the value within its document. A value that takes too long is
     * invalid.
     */
    public void validateValue(String at, JsonNode value, List<FieldProblem> problems) {
        if (schema == null) {
            problems.add(new FieldProblem(
                    at, "cannot be validated: the schema " + name + " is too complex; publish another version"));
        } else {
            validateWithinBudget(schema, name, at, value, problems);
        }
    }

    private static void validateWithinBudget(
            JsonSchema schema, String name, String at, JsonNode value, List<FieldProblem> problems) {
        try {
            new SchemaValidator(schema).validate(at, value, problems);
        } catch (EvaluationBudget.ExceededException e) {
            problems.add(new FieldProblem(
                    at,
                    "takes " + e.getMessage() + " to validate against the schema " + name + "; simplify one of them"));
        }
    }

    /** Calls the visitor with a schema and all of its subschemas, each with its JSON pointer. */
    static void visitSubschemas(String pointer, JsonNode node, BiConsumer<String, JsonNode> visitor) {
        visitor.accept(pointer, node);
        subschemasOf(node).forEach((relative, part) -> visitSubschemas(pointer + relative, part, visitor));
    }

    /** Returns the direct subschemas, by their JSON pointers within the schema. */
    static Map<String, JsonNode> subschemasOf(JsonNode node) {
        var parts = new LinkedHashMap<String, JsonNode>();
        for (var name : SINGLE_KEYWORDS) {
            if (node.has(name)) {
                parts.put("/" + name, node.get(name));
            }
        }
        for (var name : LIST_KEYWORDS) {
            for (var i = 0; i < node.path(name).size(); i++) {
                parts.put("/" + name + "/" + i, node.path(name).get(i));
            }
        }
        for (var name : MAP_KEYWORDS) {
            node.path(name)
                    .properties()
                    .forEach(field -> parts.put("/" + name + "/" + escapePointer(field.getKey()), field.getValue()));
        }
        return parts;
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

    /** All defaults share one budget, because a schema can have very many of them. */
    private static void validateDefaults(String at, JsonNode root, List<FieldProblem> problems) {
        var budget = new EvaluationBudget();
        var schema = COMPILER.compileUntrusted(root, () -> budget);
        visitSubschemas("", root, (pointer, node) -> {
            if (node.has("default")) {
                var part = pointer.isEmpty() ? schema : schema.getSubSchema(SchemaLocation.Fragment.of(pointer));
                validateWithinBudget(part, at + pointer, at + pointer + "/default", node.get("default"), problems);
            }
        });
    }

    private static String escapePointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
