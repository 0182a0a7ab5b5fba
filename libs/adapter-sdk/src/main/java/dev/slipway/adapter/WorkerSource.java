package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The provider of the capacity of a worker of a shared runtime.
 *
 * @param projectId the contributing project; null if the tenant provides it
 * @param allocationRef opaque reference to the contributed capacity
 */
public record WorkerSource(
        @Nullable UUID projectId,
        @Nullable UUID attachmentId,
        @Nullable String allocationRef) {

    /** Returns null for a member that is not a worker. */
    static @Nullable WorkerSource parse(JsonNode node) {
        return node.has("source")
                ? new WorkerSource(
                        id(node, "source_project_id"),
                        id(node, "attachment_id"),
                        node.path("allocation_ref").textValue())
                : null;
    }

    private static @Nullable UUID id(JsonNode node, String field) {
        return node.path(field).isTextual() ? UUID.fromString(node.path(field).textValue()) : null;
    }
}
