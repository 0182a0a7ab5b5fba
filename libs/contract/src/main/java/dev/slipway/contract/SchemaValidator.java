package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.ValidationMessage;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A compiled JSON Schema. */
public final class SchemaValidator {
    private static final int MAX_PATTERN = 200;

    private final JsonSchema schema;

    SchemaValidator(JsonSchema schema) {
        this.schema = schema;
    }

    /** Adds one problem per fault, with its JSON pointer. */
    public void validate(@Nullable JsonNode json, List<FieldProblem> problems) {
        validate("", json, problems);
    }

    /** Validates a part of a larger document; {@code prefix} is the JSON pointer of that part. */
    public void validate(String prefix, @Nullable JsonNode json, List<FieldProblem> problems) {
        var messages = schema.validate(json == null ? NullNode.getInstance() : json);
        // An enum of the contract also has a type; a value of another type is one fault.
        var enumPointers = messages.stream()
                .filter(message -> message.getType().equals("enum"))
                .map(SchemaValidator::pointer)
                .collect(Collectors.toSet());
        messages.stream()
                .filter(message -> !message.getType().equals("type") || !enumPointers.contains(pointer(message)))
                .map(message -> toProblem(prefix, message))
                .distinct()
                .forEach(problems::add);
    }

    private static FieldProblem toProblem(String prefix, ValidationMessage message) {
        var pointer = prefix + pointer(message);
        return new FieldProblem(pointer.isEmpty() ? "body" : pointer, describe(message));
    }

    /** The library reports a missing or unknown property at its parent; the pointer names the property itself. */
    private static String pointer(ValidationMessage message) {
        var at = message.getInstanceLocation().toString();
        return message.getProperty() == null ? at : at + "/" + message.getProperty();
    }

    /** Describes a fault in words of this API: texts of the library are no part of the contract. */
    private static String describe(ValidationMessage message) {
        var expected = message.getSchemaNode();
        return switch (message.getType()) {
            case "required", "dependentRequired" -> "is required";
            case "additionalProperties", "unevaluatedProperties" -> "is not a field of this object";
            case "additionalItems", "items", "prefixItems", "unevaluatedItems" -> "is not allowed in this list";
            case "type" -> "must be of type " + join(expected, " or ");
            case "enum" -> "must be one of " + join(expected, ", ");
            case "const" -> "must be " + text(expected);
            case "format" -> describeFormat(text(expected));
            case "pattern" -> "must match the pattern " + shorten(text(expected));
            case "minLength" -> "must have at least " + text(expected) + " characters";
            case "maxLength" -> "must have at most " + text(expected) + " characters";
            case "minimum" -> "must be at least " + text(expected);
            case "maximum" -> "must be at most " + text(expected);
            case "exclusiveMinimum" -> "must be greater than " + text(expected);
            case "exclusiveMaximum" -> "must be less than " + text(expected);
            case "multipleOf" -> "must be a multiple of " + text(expected);
            case "minItems" -> "must have at least " + text(expected) + " entries";
            case "maxItems" -> "must have at most " + text(expected) + " entries";
            case "uniqueItems" -> "must not have equal entries";
            case "minProperties" -> "must have at least " + text(expected) + " fields";
            case "maxProperties" -> "must have at most " + text(expected) + " fields";
            case "propertyNames" -> "has a field name that is not allowed";
            case "contains", "minContains", "maxContains" -> "does not have the required number of matching entries";
            case "anyOf", "oneOf" -> "matches none, or more than one, of the allowed forms";
            case "not", "false" -> "is not allowed here";
            default -> "does not satisfy the schema keyword " + message.getType();
        };
    }

    private static String describeFormat(String format) {
        return format.equals(SingleLineFormat.NAME)
                ? "must not have control characters, line breaks or bidirectional formatting characters"
                : "is not a valid " + format;
    }

    private static String join(@Nullable JsonNode values, String separator) {
        return values != null && values.isArray()
                ? StreamSupport.stream(values.spliterator(), false)
                        .map(SchemaValidator::text)
                        .collect(Collectors.joining(separator))
                : text(values);
    }

    private static String text(@Nullable JsonNode value) {
        return value == null ? "as the schema says" : value.isTextual() ? value.textValue() : value.toString();
    }

    private static String shorten(String pattern) {
        return pattern.length() > MAX_PATTERN ? pattern.substring(0, MAX_PATTERN) + "…" : pattern;
    }
}
