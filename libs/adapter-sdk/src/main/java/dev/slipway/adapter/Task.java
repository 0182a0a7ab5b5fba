package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;

/**
 * The fields that every command has: its id, its instance and its deadline.
 *
 * @param operationId the operation that the command belongs to, if any
 * @param deadlineAt when an unfinished command fails
 */
public record Task(
        UUID commandId,
        UUID orgId,
        UUID projectId,
        UUID appInstanceId,
        String appSlug,
        String appVersion,
        String resourceName,
        UUID operatorServiceAccountId,
        int generation,
        @Nullable UUID operationId,
        @Nullable Instant deadlineAt,
        String correlationId) {
    /** Throws {@link IllegalArgumentException} if the event is not a valid command. */
    static Task parse(Envelope command) {
        var payload = command.payload();
        if (!payload.path("generation").isInt()) {
            throw new IllegalArgumentException("generation is missing");
        }
        return new Task(
                command.eventId(),
                id(payload, "org_id"),
                id(payload, "project_id"),
                id(payload, "app_instance_id"),
                text(payload, "app_slug"),
                text(payload, "app_version"),
                text(payload, "resource_name"),
                id(payload, "operator_service_account_id"),
                payload.path("generation").intValue(),
                payload.has("operation_id") ? id(payload, "operation_id") : null,
                payload.has("deadline_at") ? time(payload, "deadline_at") : null,
                command.correlationId());
    }

    private static UUID id(JsonNode payload, String field) {
        return UUID.fromString(text(payload, field));
    }

    private static Instant time(JsonNode payload, String field) {
        try {
            return Instant.parse(text(payload, field));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(field + " is not a timestamp", e);
        }
    }

    private static String text(JsonNode payload, String field) {
        var value = payload.path(field);
        if (!value.isTextual()) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value.textValue();
    }
}
