package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The principal that runs an operation on a shared runtime, and its project. Project and attachment are null if the owner of the runtime does. */
public record SubmittedBy(
        @Nullable UUID projectId, @Nullable UUID attachmentId, String principalType, UUID principalId) {

    /** Returns null if the command does not say it. */
    static @Nullable SubmittedBy parse(JsonNode node) {
        return node.isObject()
                ? new SubmittedBy(
                        id(node, "project_id"),
                        id(node, "attachment_id"),
                        node.path("principal_type").asText(),
                        UUID.fromString(node.path("principal_id").asText()))
                : null;
    }

    private static @Nullable UUID id(JsonNode node, String field) {
        return node.path(field).isTextual() ? UUID.fromString(node.path(field).textValue()) : null;
    }
}
