package dev.slipway.instances.operation.domain;

import dev.slipway.instances.operation.domain.Operation.Kind;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * An operation to be opened on an instance. The id is chosen before, as the command to the adapter names it.
 *
 * @param input JSON text; null where there is none
 */
public record NewOperation(
        UUID id,
        Kind kind,
        String name,
        String action,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        Instant deadlineAt,
        @Nullable UUID commandId,
        @Nullable String input,
        @Nullable UUID memberId,
        @Nullable String fromVersion,
        @Nullable String toVersion) {

    /** One that is about the instance itself. */
    public static NewOperation of(
            UUID id,
            Kind kind,
            String action,
            UUID requestedByUserId,
            UUID requestedByPrincipalId,
            Instant deadlineAt,
            UUID commandId) {
        return new NewOperation(
                id,
                kind,
                kind.text(),
                action,
                requestedByUserId,
                requestedByPrincipalId,
                deadlineAt,
                commandId,
                null,
                null,
                null,
                null);
    }

    /** From one version to another. */
    public NewOperation between(String from, String to) {
        return new NewOperation(
                id,
                kind,
                name,
                action,
                requestedByUserId,
                requestedByPrincipalId,
                deadlineAt,
                commandId,
                input,
                memberId,
                from,
                to);
    }

    /** With what was asked for, in JSON text. */
    public NewOperation with(String asked) {
        return new NewOperation(
                id,
                kind,
                name,
                action,
                requestedByUserId,
                requestedByPrincipalId,
                deadlineAt,
                commandId,
                asked,
                memberId,
                fromVersion,
                toVersion);
    }
}
