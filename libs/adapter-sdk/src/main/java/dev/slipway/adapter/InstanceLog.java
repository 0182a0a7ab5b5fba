package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * All that is on record about one instance; every change makes a new one, which is written as a whole.
 *
 * @param generation the highest that was seen: commands of a lower one are old news
 * @param handled the commands that are over, to know them when they come again
 * @param outcomes how the last of them ended, as it was reported
 * @param canceled the commands that are not wanted any more, also those that have not come yet
 * @param commands those to be carried out, the first perhaps being so now
 * @param begun the one that the adapter was called for
 * @param reports those that the broker does not have yet, oldest first
 * @param deployed the last command that said what is to run, if it was not deleted: later reports are about it
 * @param runs the version that runs, which is not the one of {@code deployed} where an upgrade failed
 */
record InstanceLog(
        UUID appInstanceId,
        int generation,
        List<UUID> handled,
        List<Message> outcomes,
        List<UUID> canceled,
        List<Message> commands,
        @Nullable UUID begun,
        List<Message> reports,
        @Nullable Message deployed,
        @Nullable String runs,
        Instant changedAt) {
    private static final int HANDLED_MAX = 1_000;
    private static final int OUTCOMES_MAX = 8;

    InstanceLog {
        handled = List.copyOf(handled);
        outcomes = List.copyOf(outcomes);
        canceled = List.copyOf(canceled);
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

    boolean knows(UUID commandId) {
        return handled.contains(commandId) || commands.stream().anyMatch(c -> c.id().equals(commandId));
    }

    boolean isCanceled(Message command) {
        return canceled.contains(command.id());
    }

    /** True when the first command is one that a delete behind it makes pointless. */
    boolean isSuperseded() {
        return !commands.isEmpty() && !commands.get(0).is(Kind.DELETE) && isEnding();
    }

    boolean isEnding() {
        return commands.stream().anyMatch(c -> c.is(Kind.DELETE));
    }

    /** True when nothing is left to do; what remains is there to know old commands by. */
    boolean isSettled() {
        return commands.isEmpty() && reports.isEmpty() && deployed == null;
    }

    /** The command and the word that it is here, in one write. */
    InstanceLog accept(Message command, List<Message> words) {
        return edit(next -> {
            next.generation = Math.max(generation, command.generation());
            next.reports.addAll(words);
            if (command.is(Kind.CANCEL)) {
                next.cancel(UUID.fromString(
                        command.event().payload().path("canceled_command_id").asText()));
                next.handled.add(command.id());
            } else {
                next.commands.add(command);
            }
        });
    }

    /** The platform wants again what was over: the runtime has lost it. */
    InstanceLog again(Message command) {
        return edit(next -> {
            next.generation = Math.max(generation, command.generation());
            next.handled.remove(command.id());
            next.outcomes.removeIf(o -> o.isAbout(command.id()));
            next.commands.add(command);
        });
    }

    InstanceLog begin(Message command) {
        return edit(next -> next.begun = command.id());
    }

    /** The command and its outcome change places in one write: neither can be lost, nor the outcome be made twice. */
    InstanceLog finish(Message command, Outcome outcome, Message report) {
        return edit(next -> {
            next.end(command);
            next.reports.add(report);
            if (outcome instanceof Outcome.Deleted) {
                next.forgetTheInstance();
            } else if (command.kind().launches()) {
                next.deployed = command.brief();
                if (command.is(Kind.DEPLOY) || outcome instanceof Outcome.Running) {
                    next.runs = command.task().appVersion();
                }
            }
            next.outcomes.add(report);
        });
    }

    /** The command is over and nobody needs to hear of it. */
    InstanceLog drop(Message command) {
        return edit(next -> next.end(command));
    }

    /** Nothing is left, and the platform knows of nothing: it would not take a report on it. */
    InstanceLog forget(Message command) {
        return edit(next -> {
            next.end(command);
            next.forgetTheInstance();
            next.reports.clear();
        });
    }

    /** A later word on progress replaces those not sent yet, save the first: it may be on its way. */
    InstanceLog report(Message report) {
        return edit(next -> {
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
     * What is said of a command that came again: how it ended, or that it is here. Unless that is about to be said anyway, or there is
     * nothing any more that it could be said of.
     */
    InstanceLog repeat(Message command) {
        var outcome = outcomes.stream().filter(o -> o.isAbout(command.id())).findFirst();
        var isHistory = command.generation() < generation || (deployed == null && handled.contains(command.id()));
        if (outcome.isEmpty() && isHistory) {
            return this;
        }
        var word = outcome.orElseGet(() -> ReportMessages.accepted(command));
        var waiting = reports.stream().anyMatch(r -> r.id().equals(word.id()) || isSame(r, word));
        return waiting ? this : edit(next -> next.reports.add(word));
    }

    private static boolean isSame(Message one, Message other) {
        return one.is(ReportMessages.ACCEPTED)
                && other.is(ReportMessages.ACCEPTED)
                && one.commandId().equals(other.commandId());
    }

    InstanceLog sent(Message report) {
        return edit(next -> next.reports.removeIf(r -> r.id().equals(report.id())));
    }

    private InstanceLog edit(Consumer<Edit> change) {
        var next = new Edit();
        change.accept(next);
        return next.done();
    }

    /** The next log in the making. */
    private final class Edit {
        private int generation = InstanceLog.this.generation;
        private final List<UUID> handled = new ArrayList<>(InstanceLog.this.handled);
        private final List<Message> outcomes = new ArrayList<>(InstanceLog.this.outcomes);
        private final List<UUID> canceled = new ArrayList<>(InstanceLog.this.canceled);
        private final List<Message> commands = new ArrayList<>(InstanceLog.this.commands);
        private @Nullable UUID begun = InstanceLog.this.begun;
        private final List<Message> reports = new ArrayList<>(InstanceLog.this.reports);
        private @Nullable Message deployed = InstanceLog.this.deployed;
        private @Nullable String runs = InstanceLog.this.runs;

        private void end(Message command) {
            commands.removeIf(c -> c.id().equals(command.id()));
            canceled.remove(command.id());
            handled.add(command.id());
            begun = command.id().equals(begun) ? null : begun;
        }

        private void cancel(UUID command) {
            if (!handled.contains(command)) {
                canceled.add(command);
            }
        }

        private void forgetTheInstance() {
            deployed = null;
            runs = null;
            outcomes.clear();
            canceled.clear();
        }

        private InstanceLog done() {
            return new InstanceLog(
                    appInstanceId,
                    generation,
                    last(handled, HANDLED_MAX),
                    last(outcomes, OUTCOMES_MAX),
                    last(canceled, HANDLED_MAX),
                    commands,
                    begun,
                    reports,
                    deployed,
                    runs,
                    Instant.now());
        }

        private static <T> List<T> last(List<T> all, int max) {
            return all.subList(Math.max(0, all.size() - max), all.size());
        }
    }

    /** The highest generation among these, for journals that did not note it. */
    static int highest(Stream<Message> commands) {
        return commands.mapToInt(Message::generation).max().orElse(0);
    }
}
