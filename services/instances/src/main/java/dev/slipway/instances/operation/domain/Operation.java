package dev.slipway.instances.operation.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Something that was asked of an instance. {@code input} and {@code output} are JSON texts.
 *
 * @param name the kind, what is done with a member, or what the manifest calls it
 * @param action what one has to be allowed to start it, and so to call it off
 * @param commandId what the runtime adapter was told; null where it was told nothing
 * @param cancelCommandId how it was called off; null unless it was, and the adapter had taken it up
 * @param deadlineAt after that it has failed
 * @param dueAt when somebody has to look at it: the deadline, and later for a deletion that goes on beyond it
 */
public record Operation(
        UUID id,
        UUID appInstanceId,
        UUID orgId,
        UUID projectId,
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
        Instant dueAt) {

    /** What kind of thing was asked. */
    public enum Kind {
        CREATE,
        UPGRADE,
        ROLLBACK,
        DELETE,
        MEMBER,
        DECLARED;

        public static Kind of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Of these an instance has one at a time; what apps declare themselves runs beside it. */
        public boolean mutates() {
            return switch (this) {
                case CREATE, UPGRADE, ROLLBACK, DELETE, MEMBER -> true;
                case DECLARED -> false;
            };
        }
    }

    /** How far it is. */
    public enum Status {
        ACCEPTED,
        RUNNING,
        SUCCEEDED,
        FAILED,
        CANCELED;

        public static Status of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean ended() {
            return switch (this) {
                case ACCEPTED, RUNNING -> false;
                case SUCCEEDED, FAILED, CANCELED -> true;
            };
        }
    }

    /** What the adapter said last about it. */
    public record Progress(
            @Nullable Integer percent, @Nullable String message, List<Blocker> blockers) {
        public static final Progress NONE = new Progress(null, null, List.of());
    }

    /** What it waits for; {@code turn} is who has to do something: adapter, platform or project. */
    public record Blocker(String code, String message, String turn) {}

    Operation to(Status next, Progress made, Instant now) {
        return new Operation(
                id,
                appInstanceId,
                orgId,
                projectId,
                kind,
                name,
                action,
                next,
                made,
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
                next.ended() ? now : endedAt,
                deadlineAt,
                dueAt);
    }

    Operation ended(Status end, @Nullable String result, @Nullable String why, Instant now) {
        var made =
                new Progress(end == Status.SUCCEEDED ? (Integer) 100 : progress.percent, progress.message, List.of());
        return with(to(end, made, now), result, why, cancelCommandId, dueAt);
    }

    Operation canceledBy(@Nullable UUID command) {
        return with(this, output, reason, command, dueAt);
    }

    Operation dueAgain(Instant at) {
        return with(this, output, reason, cancelCommandId, at);
    }

    private static Operation with(
            Operation o,
            @Nullable String output,
            @Nullable String reason,
            @Nullable UUID cancelCommandId,
            Instant dueAt) {
        return new Operation(
                o.id,
                o.appInstanceId,
                o.orgId,
                o.projectId,
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
                dueAt);
    }
}
