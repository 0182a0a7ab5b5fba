package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.regex.Pattern;

/** A path, query or header parameter with its validator. */
public final class Parameter {
    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private final String name;
    private final boolean required;
    private final boolean multiSegment;
    private final JsonNode schema;
    private final SchemaValidator validate;

    Parameter(String name, boolean required, boolean multiSegment, JsonNode schema, SchemaValidator check) {
        this.name = name;
        this.required = required;
        this.multiSegment = multiSegment;
        this.schema = schema;
        this.validate = check;
    }

    public String name() {
        return name;
    }

    /** Returns whether the value of this path parameter can contain slashes. Only the last parameter of a path can. */
    boolean isMultiSegment() {
        return multiSegment;
    }

    void validate(@Nullable String value, List<FieldProblem> problems) {
        if (value == null) {
            if (required) {
                problems.add(new FieldProblem(name, "is required"));
            }
        } else if (schema.path("format").asText().equals("uuid")) {
            // Nearly every path has one or two: much faster than the general validator.
            if (!UUID.matcher(value).matches()) {
                problems.add(new FieldProblem(name, "is not a UUID"));
            }
        } else if (schema.path("type").asText().equals("integer")) {
            validateInteger(value, problems);
        } else {
            validate.validate(name, TextNode.valueOf(value), problems);
        }
    }

    private void validateInteger(String value, List<FieldProblem> problems) {
        try {
            validate.validate(name, IntNode.valueOf(Integer.parseInt(value)), problems);
        } catch (NumberFormatException e) {
            problems.add(new FieldProblem(name, "is not an integer"));
        }
    }
}
