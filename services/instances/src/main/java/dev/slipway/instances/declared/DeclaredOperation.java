package dev.slipway.instances.declared;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ForeignSchema;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An operation of a running instance, as the manifest of its version declares it. */
record DeclaredOperation(JsonNode declaration) {

    static @Nullable DeclaredOperation find(JsonNode manifest, String name) {
        for (var operation : manifest.path("operations")) {
            if (operation.path("name").asText().equals(name)) {
                return new DeclaredOperation(operation);
            }
        }
        return null;
    }

    String action() {
        return declaration.path("action").asText();
    }

    Duration deadline() {
        return Duration.ofSeconds(declaration.path("deadline_seconds").asLong());
    }

    List<FieldProblem> inputProblems(JsonNode input) {
        return problems("input_schema", "/input", input);
    }

    /** A missing output is no output at all. */
    List<FieldProblem> outputProblems(JsonNode output) {
        if (!declaration.has("output_schema")) {
            return List.of();
        }
        return output.isMissingNode()
                ? List.of(new FieldProblem("/output", "is required"))
                : problems("output_schema", "/output", output);
    }

    private List<FieldProblem> problems(String schema, String at, JsonNode value) {
        var problems = new ArrayList<FieldProblem>();
        if (declaration.has(schema)) {
            ForeignSchema.of(declaration.path(schema)).check(at, value, problems);
        }
        return problems;
    }
}
