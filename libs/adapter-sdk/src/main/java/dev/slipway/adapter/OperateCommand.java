package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Command to run an operation that the manifest declares. The platform validates input and output against their schemas.
 *
 * @param submittedBy who runs it on a shared runtime; null for an instance
 */
public record OperateCommand(
        Task task,
        String operation,
        JsonNode input,
        @Nullable SubmittedBy submittedBy) {

    /** Creates a command for an instance. */
    public OperateCommand(Task task, String operation, JsonNode input) {
        this(task, operation, input, null);
    }
}
