package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A change requested of a subject. {@code input} and {@code output} are JSON texts.
 *
 * @param name the kind, the member operation, or the name that the manifest declares
 * @param action the action that starting and canceling it require
 * @param commandId the command to the runtime adapter; null without one
 * @param cancelCommandId the command that cancels it; null unless it was canceled
 * @param attribution the project that it belongs to; null for a subject of a project
 * @param dueAt when the deadline sweep looks at it next: the deadline, or later for a deletion that continues beyond it
 */
public record Operation(
        UUID id,
        SubjectRef subject,
        Kind kind,
        String name,
        String action,
        Status status,
        Progress progress,
        @Nullable String input,
        @Nullable String output,
        @Nullable String reason,
        @Nullable UUID commandId,
        @Nullable UUID cancelCommandId,
        @Nullable UUID memberId,
        @Nullable String fromVersion,
        @Nullable String toVersion,
        UUID requestedByUserId,
        UUID requestedByPrincipalId,
        String correlationId,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        Instant deadlineAt,
        Instant dueAt,
        @Nullable Attribution attribution) {

    /** The kinds of operations. */
    public enum Kind implements TextEnum {
        CREATE,
        UPGRADE,
        ROLLBACK,
        DELETE,
        MEMBER,
        DECLARED,
        DETACH;

        /** Returns whether a subject can have only one such operation at a time; declared operations and detachments run in parallel. */
        public boolean isMutating() {
            return switch (this) {
                case CREATE, UPGRADE, ROLLBACK, DELETE, MEMBER -> true;
                case DECLARED, DETACH -> false;
            };
        }
    }

    /** The states of an operation. */
    public enum Status implements TextEnum {
        ACCEPTED,
        RUNNING,
        SUCCEEDED,
        FAILED,
        CANCELED;

        public boolean isEnded() {
            return switch (this) {
                case ACCEPTED, RUNNING -> false;
                case SUCCEEDED, FAILED, CANCELED -> true;
            };
        }
    }

    /** The progress that the adapter last reported. */
    public record Progress(
            @Nullable Integer percent, @Nullable String message, List<Blocker> blockers) {
        public static final Progress NONE = new Progress(null, null, List.of());
    }

    /** A condition that the operation waits for; {@code turn} says who has to act: adapter, platform or project. */
    public record Blocker(String code, String message, String turn) {}

    Operation withStatus(Status next, Progress nextProgress, Instant now) {
        return new Operation(
                id,
                subject,
                kind,
                name,
                action,
                next,
                nextProgress,
                input,
                output,
                reason,
                commandId,
                cancelCommandId,
                memberId,
                fromVersion,
                toVersion,
                requestedByUserId,
                requestedByPrincipalId,
                correlationId,
                createdAt,
                startedAt == null && (next == Status.RUNNING || next == Status.SUCCEEDED) ? now : startedAt,
                next.isEnded() ? now : endedAt,
                deadlineAt,
                dueAt,
                attribution);
    }

    Operation withResult(Status end, @Nullable String nextOutput, @Nullable String nextReason, Instant now) {
        var last =
                new Progress(end == Status.SUCCEEDED ? (Integer) 100 : progress.percent, progress.message, List.of());
        return copy(withStatus(end, last, now), nextOutput, nextReason, cancelCommandId, dueAt);
    }

    Operation withCancelCommand(UUID command) {
        return copy(this, output, reason, command, dueAt);
    }

    Operation withDueAt(Instant nextDueAt) {
        return copy(this, output, reason, cancelCommandId, nextDueAt);
    }

    private static Operation copy(
            Operation o,
            @Nullable String output,
            @Nullable String reason,
            @Nullable UUID cancelCommandId,
            Instant dueAt) {
        return new Operation(
                o.id,
                o.subject,
                o.kind,
                o.name,
                o.action,
                o.status,
                o.progress,
                o.input,
                output,
                reason,
                o.commandId,
                cancelCommandId,
                o.memberId,
                o.fromVersion,
                o.toVersion,
                o.requestedByUserId,
                o.requestedByPrincipalId,
                o.correlationId,
                o.createdAt,
                o.startedAt,
                o.endedAt,
                o.deadlineAt,
                dueAt,
                o.attribution);
    }
}
