package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measures a schema as if every reference were replaced by its target, which is how it is compiled and evaluated. A few lines of references
 * can otherwise stand for billions of subschemas.
 */
final class SchemaExpansion {
    static final int MAX_SUBSCHEMAS = 2_000;
    static final int MAX_DEPTH = 32;

    private final Map<String, JsonNode> subschemas = new HashMap<>();
    private final Map<String, Extent> extents = new HashMap<>();
    private final Set<String> open = new HashSet<>();

    /** The number of subschemas of an expanded schema, including itself, and the levels below it. */
    private record Extent(int size, int height) {}

    private static final class TooComplexException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient FieldProblem problem;

        TooComplexException(String pointer, String problem) {
            super(problem, null, false, false);
            this.problem = new FieldProblem(pointer, problem);
        }
    }

    private SchemaExpansion(JsonNode root) {
        UntrustedSchema.visitSubschemas("", root, subschemas::put);
    }

    /** Returns why the schema is too complex, at the pointer of the first subschema that is; null if it is not. */
    static @Nullable FieldProblem findProblem(JsonNode root) {
        var expansion = new SchemaExpansion(root);
        try {
            // The root comes first. Definitions that nothing refers to are checked too.
            for (var pointer : new TreeSet<>(expansion.subschemas.keySet())) {
                var unused = expansion.measure(pointer, 0);
            }
            return null;
        } catch (TooComplexException e) {
            return e.problem;
        }
    }

    private Extent measure(String pointer, int depth) {
        var known = extents.get(pointer);
        if (known == null) {
            requireDepth(pointer, depth);
            open.add(pointer);
            known = measureParts(pointer, depth);
            open.remove(pointer);
            extents.put(pointer, known);
        }
        requireDepth(pointer, depth + known.height);
        return known;
    }

    private Extent measureParts(String pointer, int depth) {
        var node = subschemas.getOrDefault(pointer, Json.object());
        var size = 1;
        var height = 0;
        for (var part : UntrustedSchema.subschemasOf(node).entrySet()) {
            if (!part.getKey().startsWith("/$defs/")) {
                var extent = measure(pointer + part.getKey(), depth + 1);
                size += extent.size;
                height = Math.max(height, extent.height + 1);
            }
        }
        if (node.has("$ref")) {
            var target = node.path("$ref").asText().substring(1);
            if (open.contains(target)) {
                throw new TooComplexException(
                        pointer + "/$ref", "is part of a cycle of references; a schema must not refer to itself");
            }
            var extent = measure(target, depth + 1);
            size += extent.size;
            height = Math.max(height, extent.height + 1);
        }
        if (size > MAX_SUBSCHEMAS) {
            throw new TooComplexException(
                    pointer, "has more than " + MAX_SUBSCHEMAS + " subschemas once its references are expanded");
        }
        return new Extent(size, height);
    }

    private static void requireDepth(String pointer, int depth) {
        if (depth > MAX_DEPTH) {
            throw new TooComplexException(
                    pointer, "is nested more than " + MAX_DEPTH + " levels deep once references are expanded");
        }
    }
}
