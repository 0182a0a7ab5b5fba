package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;

import java.util.UUID;

/** What every command says: which one it is, and which instance it is about. */
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
                command.correlationId());
    }

    private static UUID id(JsonNode payload, String field) {
        return UUID.fromString(text(payload, field));
    }

    private static String text(JsonNode payload, String field) {
        var value = payload.path(field);
        if (!value.isTextual()) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value.textValue();
    }
}
