package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A path, query or header parameter with its validator. */
public final class Parameter {
    private static final int UUID_LENGTH = 36;

    private final String name;
    private final boolean required;
    private final boolean multiSegment;
    private final boolean isUuid;
    private final boolean isInteger;
    private final SchemaValidator validate;

    Parameter(String name, boolean required, boolean multiSegment, JsonNode schema, SchemaValidator check) {
        this.name = name;
        this.required = required;
        this.multiSegment = multiSegment;
        this.isUuid = schema.path("format").asText().equals("uuid");
        this.isInteger = schema.path("type").asText().equals("integer");
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
        } else if (isUuid) {
            // Nearly every path has one or two: much faster than the general validator.
            if (!isUuid(value)) {
                problems.add(new FieldProblem(name, "is not a UUID"));
            }
        } else if (isInteger) {
            validateInteger(value, problems);
        } else {
            validate.validate(name, TextNode.valueOf(value), problems);
        }
    }

    /** UUID.fromString also accepts shorter groups. */
    private static boolean isUuid(String value) {
        if (value.length() != UUID_LENGTH) {
            return false;
        }
        for (var i = 0; i < UUID_LENGTH; i++) {
            var c = value.charAt(i);
            var valid = (i == 8 || i == 13 || i == 18 || i == 23)
                    ? c == '-'
                    : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (!valid) {
                return false;
            }
        }
        return true;
    }

    private void validateInteger(String value, List<FieldProblem> problems) {
        try {
            validate.validate(name, IntNode.valueOf(Integer.parseInt(value)), problems);
        } catch (NumberFormatException e) {
            problems.add(new FieldProblem(name, "is not an integer"));
        }
    }
}
