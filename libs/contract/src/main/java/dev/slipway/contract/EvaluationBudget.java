package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.AbstractJsonValidator;
import com.networknt.schema.AbstractKeyword;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonValidator;
import com.networknt.schema.Keyword;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.ValidationContext;
import com.networknt.schema.ValidationMessage;

import java.util.Set;

/**
 * Limits the work of validating values against an untrusted schema. Every subschema gets a keyword that counts its evaluations, weighted by
 * the size of the subschema and of the value.
 */
final class EvaluationBudget {
    /** About a tenth of a second. A launch with 1,000 parameters needs a few thousand steps. */
    static final int MAX_STEPS = 200_000;

    static final Keyword KEYWORD = new StepsKeyword();
    private static final String NAME = "x-slipway-steps";
    private static final String CONTEXT_KEY = EvaluationBudget.class.getName();
    /** Comparing two entries of an array is much cheaper than evaluating a subschema. */
    private static final int COMPARISONS_PER_STEP = 32;

    private long steps;

    /** Signals that a validation was stopped. */
    static final class ExceededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExceededException() {
            super("more than " + MAX_STEPS + " steps", null, false, false);
        }
    }

    /** Returns a copy of a schema in which every subschema counts its evaluations. */
    static JsonNode instrument(JsonNode root) {
        var copy = root.deepCopy();
        UntrustedSchema.visitSubschemas("", copy, (pointer, node) -> {
            if (node instanceof ObjectNode schema) {
                schema.put(NAME, weigh(schema));
            }
        });
        return copy;
    }

    /** Makes a validation use this budget. */
    void attachTo(ExecutionContext context) {
        context.getCollectorContext().add(CONTEXT_KEY, this);
    }

    private static int weigh(JsonNode schema) {
        var weight = 0;
        for (var keyword : schema) {
            weight += 1 + keyword.size();
        }
        return weight;
    }

    private void spend(long cost) {
        steps += cost;
        if (steps > MAX_STEPS) {
            throw new ExceededException();
        }
    }

    private static final class StepsKeyword extends AbstractKeyword {
        StepsKeyword() {
            super(NAME);
        }

        @Override
        public JsonValidator newValidator(
                SchemaLocation location,
                JsonNodePath path,
                JsonNode schemaNode,
                JsonSchema parent,
                ValidationContext context) {
            return new StepsValidator(location, path, this, schemaNode, parent.getSchemaNode());
        }
    }

    private static final class StepsValidator extends AbstractJsonValidator {
        private final int weight;
        private final int patterns;
        private final boolean uniqueItems;

        StepsValidator(SchemaLocation location, JsonNodePath path, Keyword keyword, JsonNode weight, JsonNode schema) {
            super(location, path, keyword, weight);
            this.weight = weight.asInt();
            this.patterns =
                    schema.path("patternProperties").size() + (schema.has("pattern") || schema.has("format") ? 1 : 0);
            this.uniqueItems = schema.path("uniqueItems").asBoolean();
        }

        @Override
        public Set<ValidationMessage> validate(
                ExecutionContext context, JsonNode node, JsonNode root, JsonNodePath location) {
            if (context.getCollectorContext().get(CONTEXT_KEY) instanceof EvaluationBudget budget) {
                budget.spend(cost(node));
            }
            return Set.of();
        }

        private long cost(JsonNode node) {
            var size = (long) node.size();
            var text = node.isTextual() ? node.textValue().length() : 0;
            var comparisons = uniqueItems && node.isArray() ? size * size / COMPARISONS_PER_STEP : 0;
            return weight + size + (size + text) * patterns + comparisons;
        }
    }
}
