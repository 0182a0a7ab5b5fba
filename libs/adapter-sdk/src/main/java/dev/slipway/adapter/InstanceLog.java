package dev.slipway.adapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The journaled state of one instance. Immutable; every change creates a copy that is written as a whole.
 *
 * @param generation the highest generation seen; commands of a lower one are stale
 * @param handledCommandIds finished commands, to recognize redeliveries
 * @param outcomes the terminal reports of the latest finished commands
 * @param canceledCommandIds canceled commands, including those that have not arrived yet
 * @param commands pending commands; the first one may be running
 * @param startedCommandId the command that the adapter was called for
 * @param reports reports that the broker has not acknowledged, oldest first
 * @param deployed the latest launch command, on which later states are reported; null after a delete
 * @param runningVersion the running version, which differs from that of {@code deployed} after a failed upgrade
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record InstanceLog(
        UUID appInstanceId,
        int generation,
        @JsonProperty("handled") List<UUID> handledCommandIds,
        List<Message> outcomes,
        @JsonProperty("canceled") List<UUID> canceledCommandIds,
        List<Message> commands,
        @JsonProperty("begun") @Nullable UUID startedCommandId,
        List<Message> reports,
        @Nullable Message deployed,
        @JsonProperty("runs") @Nullable String runningVersion,
        Instant changedAt) {
    private static final int HANDLED_MAX = 1_000;
    private static final int OUTCOMES_MAX = 8;

    InstanceLog {
        handledCommandIds = List.copyOf(handledCommandIds);
        outcomes = List.copyOf(outcomes);
        canceledCommandIds = List.copyOf(canceledCommandIds);
        commands = List.copyOf(commands);
        reports = List.copyOf(reports);
    }

    static InstanceLog empty(UUID appInstanceId) {
        return new InstanceLog(
                appInstanceId,
                0,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                null,
                List.of(),
                null,
                null,
                Instant.EPOCH);
    }

    boolean isKnown(UUID commandId) {
        return handledCommandIds.contains(commandId) || commands.stream().anyMatch(c -> c.id().equals(commandId));
    }

    boolean isCanceled(Message command) {
        return canceledCommandIds.contains(command.id());
    }

    /** Returns true if a pending delete makes the first command pointless. */
    boolean isSuperseded() {
        return !commands.isEmpty() && !commands.get(0).is(CommandType.DELETE) && isDeletePending();
    }

    boolean isDeletePending() {
        return commands.stream().anyMatch(c -> c.is(CommandType.DELETE));
    }

    /** Returns true if nothing is pending and the log only serves to recognize redeliveries. */
    boolean isRemovable() {
        return commands.isEmpty() && reports.isEmpty() && deployed == null;
    }

    /** Adds a command and its acknowledgements in one write. */
    InstanceLog withCommand(Message command, List<Message> acknowledgements) {
        return copyWith(next -> {
            next.generation = Math.max(generation, command.generation());
            next.reports.addAll(acknowledgements);
            if (command.is(CommandType.CANCEL)) {
                next.cancel(UUID.fromString(
                        command.event().payload().path("canceled_command_id").asText()));
                next.handledCommandIds.add(command.id());
            } else {
                next.commands.add(command);
            }
        });
    }

    /** Queues a finished command again, because the runtime lost its effect. */
    InstanceLog withRequeued(Message command) {
        return copyWith(next -> {
            next.generation = Math.max(generation, command.generation());
            next.handledCommandIds.remove(command.id());
            next.outcomes.removeIf(o -> o.isAbout(command.id()));
            next.commands.add(command);
        });
    }

    InstanceLog withStarted(Message command) {
        return copyWith(next -> next.startedCommandId = command.id());
    }

    /** Replaces the command by its outcome in one write, so that neither can be lost or repeated. */
    InstanceLog withOutcome(Message command, Outcome outcome, Message report) {
        return copyWith(next -> {
            next.removeCommand(command);
            next.reports.add(report);
            if (outcome instanceof Outcome.Deleted) {
                next.clearInstance();
            } else if (command.kind().isLaunch()) {
                next.deployed = command.withoutDocuments();
                if (command.is(CommandType.DEPLOY) || outcome instanceof Outcome.Running) {
                    next.runningVersion = command.task().appVersion();
                }
            }
            next.outcomes.add(report);
        });
    }

    /** Removes a command without a report. */
    InstanceLog withoutCommand(Message command) {
        return copyWith(next -> next.removeCommand(command));
    }

    /** Removes a deleted orphan and its reports, which the platform would reject. */
    InstanceLog withoutInstance(Message command) {
        return copyWith(next -> {
            next.removeCommand(command);
            next.clearInstance();
            next.reports.clear();
        });
    }

    /** Adds a report. A progress report replaces earlier ones that were not sent yet, except the first, which may be in flight. */
    InstanceLog withReport(Message report) {
        return copyWith(next -> {
            if (next.reports.size() > 1
                    && (report.is(ReportMessages.DEPLOYING) || report.is(ReportMessages.PROGRESS))) {
                next.reports
                        .subList(1, next.reports.size())
                        .removeIf(r -> r.is(report.event().eventType())
                                && r.commandId().equals(report.commandId()));
            }
            next.reports.add(report);
        });
    }

    /**
     * Repeats the terminal report or the acknowledgement of a redelivered command, unless it is queued already or the instance is gone.
     */
    InstanceLog withRepeatedReport(Message command) {
        var outcome = outcomes.stream().filter(o -> o.isAbout(command.id())).findFirst();
        var isHistory =
                command.generation() < generation || (deployed == null && handledCommandIds.contains(command.id()));
        if (outcome.isEmpty() && isHistory) {
            return this;
        }
        var repeated = outcome.orElseGet(() -> ReportMessages.accepted(command));
        var isQueued =
                reports.stream().anyMatch(r -> r.id().equals(repeated.id()) || isSameAcknowledgement(r, repeated));
        return isQueued ? this : copyWith(next -> next.reports.add(repeated));
    }

    private static boolean isSameAcknowledgement(Message one, Message other) {
        return one.is(ReportMessages.ACCEPTED)
                && other.is(ReportMessages.ACCEPTED)
                && one.commandId().equals(other.commandId());
    }

    InstanceLog withoutReport(Message report) {
        return copyWith(next -> next.reports.removeIf(r -> r.id().equals(report.id())));
    }

    private InstanceLog copyWith(Consumer<Builder> change) {
        var next = new Builder();
        change.accept(next);
        return next.build();
    }

    private final class Builder {
        private int generation = InstanceLog.this.generation;
        private final List<UUID> handledCommandIds = new ArrayList<>(InstanceLog.this.handledCommandIds);
        private final List<Message> outcomes = new ArrayList<>(InstanceLog.this.outcomes);
        private final List<UUID> canceledCommandIds = new ArrayList<>(InstanceLog.this.canceledCommandIds);
        private final List<Message> commands = new ArrayList<>(InstanceLog.this.commands);
        private @Nullable UUID startedCommandId = InstanceLog.this.startedCommandId;
        private final List<Message> reports = new ArrayList<>(InstanceLog.this.reports);
        private @Nullable Message deployed = InstanceLog.this.deployed;
        private @Nullable String runningVersion = InstanceLog.this.runningVersion;

        private void removeCommand(Message command) {
            commands.removeIf(c -> c.id().equals(command.id()));
            canceledCommandIds.remove(command.id());
            handledCommandIds.add(command.id());
            startedCommandId = command.id().equals(startedCommandId) ? null : startedCommandId;
        }

        private void cancel(UUID command) {
            if (!handledCommandIds.contains(command)) {
                canceledCommandIds.add(command);
            }
        }

        private void clearInstance() {
            deployed = null;
            runningVersion = null;
            outcomes.clear();
            canceledCommandIds.clear();
        }

        private InstanceLog build() {
            return new InstanceLog(
                    appInstanceId,
                    generation,
                    lastOf(handledCommandIds, HANDLED_MAX),
                    lastOf(outcomes, OUTCOMES_MAX),
                    lastOf(canceledCommandIds, HANDLED_MAX),
                    commands,
                    startedCommandId,
                    reports,
                    deployed,
                    runningVersion,
                    Instant.now());
        }

        private static <T> List<T> lastOf(List<T> all, int max) {
            return all.subList(Math.max(0, all.size() - max), all.size());
        }
    }

    /** Returns the highest generation of these commands, for journal files without the field. */
    static int highestGeneration(Stream<Message> commands) {
        return commands.mapToInt(Message::generation).max().orElse(0);
    }
}
