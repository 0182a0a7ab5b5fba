package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.BaseJsonValidator;
import com.networknt.schema.ExecutionContext;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonValidator;
import com.networknt.schema.Keyword;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.ValidationContext;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.ValidatorTypeCode;
import com.networknt.schema.Vocabulary;
import com.networknt.schema.regex.JDKRegularExpressionFactory;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Stops a validation after enough faults. The faults of {@code items} and {@code additionalProperties} grow with the input, those of other
 * keywords with the schema only; so these two stop as soon as they have found more than an error response lists. A value stays valid or
 * invalid as before, within {@code anyOf} too, because a keyword stops only after it has found a fault.
 */
final class FaultLimit {
    private static final Vocabulary APPLICATORS = limit(Vocabulary.V202012_APPLICATOR);

    private FaultLimit() {}

    /** Returns the vocabulary that replaces the library's; null if the library's is used. */
    static @Nullable Vocabulary findVocabulary(String iri) {
        return iri.equals(APPLICATORS.getIri()) ? APPLICATORS : null;
    }

    private static Vocabulary limit(Vocabulary original) {
        return new Vocabulary(
                original.getIri(),
                original.getKeywords().stream().map(FaultLimit::limit).toArray(Keyword[]::new));
    }

    private static Keyword limit(Keyword original) {
        if (original == ValidatorTypeCode.ITEMS_202012) {
            return new LimitedKeyword(ValidatorTypeCode.ITEMS_202012, "prefixItems");
        }
        return original == ValidatorTypeCode.ADDITIONAL_PROPERTIES
                ? new LimitedKeyword(ValidatorTypeCode.ADDITIONAL_PROPERTIES, "patternProperties")
                : original;
    }

    /**
     * A keyword that applies a schema to all entries of an array or object.
     *
     * @param sibling the keyword that exempts entries, with which the library's implementation is used
     */
    private record LimitedKeyword(ValidatorTypeCode original, String sibling) implements Keyword {
        @Override
        public String getValue() {
            return original.getValue();
        }

        @Override
        public JsonValidator newValidator(
                SchemaLocation location,
                JsonNodePath evaluationPath,
                JsonNode schema,
                JsonSchema parent,
                ValidationContext context) {
            return isUntrusted(context) || parent.getSchemaNode().has(sibling)
                    ? original.newValidator(location, evaluationPath, schema, parent, context)
                    : new LimitedValidator(original, location, evaluationPath, schema, parent, context);
        }

        /** Schemas of tenants may use {@code unevaluatedProperties}, which needs the annotations of the library's implementation. */
        private static boolean isUntrusted(ValidationContext context) {
            return !(context.getConfig().getRegularExpressionFactory() instanceof JDKRegularExpressionFactory);
        }
    }

    private static final class LimitedValidator extends BaseJsonValidator {
        private final JsonSchema entrySchema;

        LimitedValidator(
                ValidatorTypeCode type,
                SchemaLocation location,
                JsonNodePath evaluationPath,
                JsonNode schema,
                JsonSchema parent,
                ValidationContext context) {
            super(location, evaluationPath, schema, parent, type, context);
            entrySchema = context.newSchema(location, evaluationPath, schema, parent);
        }

        @Override
        public Set<ValidationMessage> validate(
                ExecutionContext execution, JsonNode node, JsonNode root, JsonNodePath at) {
            var faults = new LinkedHashSet<ValidationMessage>();
            if (node.isArray() && keyword == ValidatorTypeCode.ITEMS_202012) {
                for (var i = 0; i < node.size() && faults.size() <= Problem.MAX_FIELDS; i++) {
                    faults.addAll(entrySchema.validate(execution, node.get(i), root, at.append(i)));
                }
            } else if (node.isObject() && keyword == ValidatorTypeCode.ADDITIONAL_PROPERTIES) {
                validateProperties(execution, node, root, at, faults);
            }
            return faults;
        }

        private void validateProperties(
                ExecutionContext execution,
                JsonNode node,
                JsonNode root,
                JsonNodePath at,
                Set<ValidationMessage> faults) {
            var known = parentSchema.getSchemaNode().path("properties");
            for (var field : node.properties()) {
                if (faults.size() > Problem.MAX_FIELDS) {
                    return;
                }
                if (known.has(field.getKey())) {
                    continue;
                }
                if (schemaNode.isBoolean() && !schemaNode.booleanValue()) {
                    faults.add(unknownProperty(execution, node, at, field.getKey()));
                } else {
                    faults.addAll(entrySchema.validate(execution, field.getValue(), root, at.append(field.getKey())));
                }
            }
        }

        private ValidationMessage unknownProperty(
                ExecutionContext execution, JsonNode node, JsonNodePath at, String name) {
            return message()
                    .instanceNode(node)
                    .property(name)
                    .instanceLocation(at)
                    .locale(execution.getExecutionConfig().getLocale())
                    .failFast(execution.isFailFast())
                    .arguments(name)
                    .build();
        }

        @Override
        public void preloadJsonSchema() {
            entrySchema.initializeValidators();
        }
    }
}
