package dev.slipway.operations.domain;

import dev.slipway.operations.domain.Operation.Kind;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * An operation to open. Its id is chosen before, because the command to the adapter names it.
 *
 * @param input JSON text; null without input
 * @param attribution null for a subject of a project
 */
public record NewOperation(
        UUID id,
        Kind kind,
        String name,
        String action,
        Requester requester,
        Instant deadlineAt,
        @Nullable UUID commandId,
        @Nullable String input,
        @Nullable UUID memberId,
        @Nullable String fromVersion,
        @Nullable String toVersion,
        @Nullable Attribution attribution) {

    /**
     * The requester of an operation.
     *
     * @param userId the responsible person
     * @param principalId the acting principal: the person, or an account
     */
    public record Requester(UUID userId, UUID principalId) {}

    /** Creates an operation that belongs to nobody but its subject. */
    public NewOperation(
            UUID id,
            Kind kind,
            String name,
            String action,
            Requester requester,
            Instant deadlineAt,
            UUID commandId,
            @Nullable String input,
            @Nullable UUID memberId,
            @Nullable String fromVersion,
            @Nullable String toVersion) {
        this(id, kind, name, action, requester, deadlineAt, commandId, input, memberId, fromVersion, toVersion, null);
    }

    /** Creates an operation on the subject itself, named after its kind. */
    public static NewOperation ofKind(
            Kind kind, UUID id, String action, Requester requester, Instant deadlineAt, UUID commandId) {
        return new NewOperation(
                id, kind, kind.text(), action, requester, deadlineAt, commandId, null, null, null, null, null);
    }

    public NewOperation withVersions(String from, String to) {
        return new NewOperation(
                id, kind, name, action, requester, deadlineAt, commandId, input, memberId, from, to, attribution);
    }

    /** Returns a copy with the input, as JSON text. */
    public NewOperation withInput(String json) {
        return new NewOperation(
                id,
                kind,
                name,
                action,
                requester,
                deadlineAt,
                commandId,
                json,
                memberId,
                fromVersion,
                toVersion,
                attribution);
    }

    /** Returns a copy that belongs to a project, or to the owner of the subject. */
    public NewOperation withAttribution(Attribution next) {
        return new NewOperation(
                id,
                kind,
                name,
                action,
                requester,
                deadlineAt,
                commandId,
                input,
                memberId,
                fromVersion,
                toVersion,
                next);
    }
}
