package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/**
 * A project that is attached to a shared runtime.
 *
 * @param policies the whole attachment as in the message: contribution, submission and app policy
 */
public record AttachedProject(UUID attachmentId, UUID projectId, JsonNode policies) {

    static List<AttachedProject> parseAll(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(node -> new AttachedProject(
                        UUID.fromString(node.path("attachment_id").asText()),
                        UUID.fromString(node.path("project_id").asText()),
                        node))
                .toList();
    }
}
