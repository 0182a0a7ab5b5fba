package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.UUID;

/**
 * The fields that every command has: its id, its subject and its deadline.
 *
 * @param projectId the project of an instance; null for a shared runtime
 * @param operatorId the identity of the subject: a service account of the project, or the operator of the shared runtime
 * @param operationId the operation that the command belongs to, if any
 * @param deadlineAt when an unfinished command fails
 */
public record Task(
        UUID commandId,
        UUID orgId,
        @Nullable UUID projectId,
        TaskSubject subject,
        String appSlug,
        String appVersion,
        String resourceName,
        UUID operatorId,
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
        var subject = TaskSubject.parse(payload);
        return new Task(
                command.eventId(),
                id(payload, "org_id"),
                subject.kind() == TaskSubject.Kind.APP_INSTANCE ? id(payload, "project_id") : null,
                subject,
                text(payload, "app_slug"),
                text(payload, "app_version"),
                text(payload, "resource_name"),
                id(
                        payload,
                        subject.kind() == TaskSubject.Kind.APP_INSTANCE
                                ? "operator_service_account_id"
                                : "operator_id"),
                payload.path("generation").intValue(),
                payload.has("operation_id") ? id(payload, "operation_id") : null,
                payload.has("deadline_at") ? time(payload, "deadline_at") : null,
                command.correlationId());
    }

    /** Returns the id of the instance or shared runtime. */
    public UUID subjectId() {
        return subject.id();
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
