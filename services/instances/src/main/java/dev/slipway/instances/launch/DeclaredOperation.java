package dev.slipway.instances.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.UntrustedSchema;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An operation that the manifest of an instance's version declares. */
public record DeclaredOperation(JsonNode declaration) {
    public String action() {
        return declaration.path("action").asText();
    }

    public Duration deadline() {
        return Duration.ofSeconds(declaration.path("deadline_seconds").asLong());
    }

    public List<FieldProblem> validateInput(JsonNode input) {
        return validate("input_schema", "/input", input);
    }

    /** Validates an output; a missing one is invalid if the operation declares a schema for it. */
    public List<FieldProblem> validateOutput(JsonNode output) {
        if (!declaration.has("output_schema")) {
            return List.of();
        }
        return output.isMissingNode()
                ? List.of(new FieldProblem("/output", "is required"))
                : validate("output_schema", "/output", output);
    }

    private List<FieldProblem> validate(String schema, String field, JsonNode value) {
        var problems = new ArrayList<FieldProblem>();
        if (declaration.has(schema)) {
            var name = schema + " of the operation " + declaration.path("name").asText();
            UntrustedSchema.of(name, declaration.path(schema)).validateValue(field, value, problems);
        }
        return problems;
    }
}
