package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.regex.Pattern;

/** A path, query or header parameter and its prepared check. */
public final class Parameter {
    private static final Pattern UUID =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private final String name;
    private final boolean required;
    private final JsonNode schema;
    private final SchemaCheck check;

    Parameter(String name, boolean required, JsonNode schema, SchemaCheck check) {
        this.name = name;
        this.required = required;
        this.schema = schema;
        this.check = check;
    }

    public String name() {
        return name;
    }

    void check(@Nullable String value, List<FieldProblem> problems) {
        if (value == null) {
            if (required) {
                problems.add(new FieldProblem(name, "is required"));
            }
        } else if (schema.path("format").asText().equals("uuid")) {
            // Nearly every path has one or two of these: not worth the general check.
            if (!UUID.matcher(value).matches()) {
                problems.add(new FieldProblem(name, "is not a UUID"));
            }
        } else if (schema.path("type").asText().equals("integer")) {
            checkInteger(value, problems);
        } else {
            check.check(name, TextNode.valueOf(value), problems);
        }
    }

    private void checkInteger(String value, List<FieldProblem> problems) {
        try {
            check.check(name, IntNode.valueOf(Integer.parseInt(value)), problems);
        } catch (NumberFormatException e) {
            problems.add(new FieldProblem(name, "is not a whole number"));
        }
    }
}
