package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.ValidationMessage;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A JSON Schema compiled once. */
public final class SchemaCheck {
    private final JsonSchema schema;

    SchemaCheck(JsonSchema schema) {
        this.schema = schema;
    }

    /** Adds a problem per fault, named by its JSON pointer. */
    public void check(@Nullable JsonNode json, List<FieldProblem> problems) {
        check("", json, problems);
    }

    /** As part of something larger: {@code prefix} is the pointer to it. */
    public void check(String prefix, @Nullable JsonNode json, List<FieldProblem> problems) {
        for (var message : schema.validate(json == null ? NullNode.getInstance() : json)) {
            var pointer = prefix + pointer(message);
            problems.add(new FieldProblem(pointer.isEmpty() ? "body" : pointer, plain(message)));
        }
    }

    /** A missing or surplus property is reported at its parent: callers want to read its own name. */
    private static String pointer(ValidationMessage message) {
        var at = message.getInstanceLocation().toString();
        return message.getProperty() == null ? at : at + "/" + message.getProperty();
    }

    private static String plain(ValidationMessage message) {
        return switch (message.getType()) {
            case "required" -> "is required";
            case "additionalProperties" -> "is not a field of this object";
            default -> {
                var text = message.getMessage();
                var colon = text.indexOf(": ");
                yield colon < 0 ? text : text.substring(colon + 2);
            }
        };
    }
}
