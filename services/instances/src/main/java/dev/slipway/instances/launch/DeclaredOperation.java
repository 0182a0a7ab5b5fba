package dev.slipway.instances.launch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.UntrustedSchema;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An operation that the manifest of an instance's version declares. */
public record DeclaredOperation(JsonNode declaration) {
    private static final int MAX_INPUT_BYTES = 64 * 1024;

    public String action() {
        return declaration.path("action").asText();
    }

    public Duration deadline() {
        return Duration.ofSeconds(declaration.path("deadline_seconds").asLong());
    }

    /** Returns the requested input, or an empty one; fails if it is invalid. Validates off the event loop, because the schema is untrusted. */
    public Future<ObjectNode> requireValidInput(Vertx vertx, @Nullable JsonNode requested) {
        var input = requested instanceof ObjectNode object ? object : Json.object();
        if (Json.text(input).getBytes(StandardCharsets.UTF_8).length > MAX_INPUT_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/input", "is larger than 64 KiB")
                    .asException();
        }
        return vertx.executeBlocking(() -> validate("input_schema", "/input", input))
                .compose(problems -> problems.isEmpty()
                        ? Future.succeededFuture(input)
                        : Future.failedFuture(Problem.validationOf(ErrorCode.OPERATION_INPUT_INVALID, problems)
                                .asException()));
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
