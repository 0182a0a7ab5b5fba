package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;

/**
 * What every command says: which one it is, and which instance it is about.
 *
 * @param operationId the operation that the command is part of, if it named one
 * @param deadlineAt what is not done by then has failed
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
    /** Throws {@link IllegalArgumentException} when the event is not a command as the contract has it. */
    static Task of(Envelope command) {
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
            throw new IllegalArgumentException(field + " is not a time", e);
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
