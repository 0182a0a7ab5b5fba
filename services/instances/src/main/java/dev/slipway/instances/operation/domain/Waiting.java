package dev.slipway.instances.operation.domain;

import dev.slipway.instances.operation.domain.Operation.Blocker;
import dev.slipway.instances.operation.domain.Operation.Status;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What operations wait for, and whose turn it is. */
public final class Waiting {
    private static final String ADAPTER = "adapter";
    private static final String AWAY = "adapter_unavailable";
    private static final String SILENT = "runtime_silent";
    private static final Set<String> OF_SILENCE = Set.of(AWAY, SILENT);

    private Waiting() {}

    /**
     * The adapters of a backend.
     *
     * @param lastSeenAt when one was heard of last; null if never
     * @param silence after so long without a word they are taken to be away
     */
    public record Adapters(String backend, @Nullable Instant lastSeenAt, Duration silence) {
        public boolean areAlive(Instant now) {
            return lastSeenAt != null && lastSeenAt.isAfter(now.minus(silence));
        }
    }

    /** All that an operation waits for: what the adapter said, and what can be said about the adapter. */
    public static List<Blocker> on(Operation operation, Adapters adapters, Instant now) {
        if (operation.status().ended()) {
            return List.of();
        }
        var blockers = new ArrayList<Blocker>();
        var unheard = operation.status() == Status.ACCEPTED;
        if (areAway(operation, adapters, now)) {
            blockers.add(away(adapters));
        } else if (unheard) {
            blockers.add(new Blocker(
                    "adapter_pending", "The " + adapters.backend + " adapter has not taken it up yet.", ADAPTER));
        }
        operation.progress().blockers().stream()
                .filter(said ->
                        blockers.stream().noneMatch(known -> known.code().equals(said.code())))
                .forEach(blockers::add);
        return blockers;
    }

    /** Why an operation did not end in time. */
    public static Blocker beyond(Operation operation, Adapters adapters, Instant now) {
        if (areAway(operation, adapters, now)) {
            return away(adapters);
        }
        if (operation.status() == Status.ACCEPTED) {
            return new Blocker(AWAY, "No " + adapters.backend + " adapter took it up in time.", ADAPTER);
        }
        var waitedFor = withoutSilence(operation.progress().blockers()).stream()
                .findFirst()
                .map(said -> " It waited for: " + said.message())
                .orElse("");
        return new Blocker(
                SILENT,
                "The " + adapters.backend + " adapter took it up and did not say in time how it ended." + waitedFor,
                ADAPTER);
    }

    /** What is left of it when the adapter speaks: all but what was said about its silence. */
    public static List<Blocker> withoutSilence(List<Blocker> blockers) {
        return blockers.stream()
                .filter(each -> !OF_SILENCE.contains(each.code()))
                .toList();
    }

    /** One that has spoken of the operation is not taken to be away only because it never said that it is alive. */
    private static boolean areAway(Operation operation, Adapters adapters, Instant now) {
        return !adapters.areAlive(now) && (adapters.lastSeenAt != null || operation.status() == Status.ACCEPTED);
    }

    private static Blocker away(Adapters adapters) {
        var message = adapters.lastSeenAt == null
                ? "No " + adapters.backend + " adapter has been heard of yet."
                : "No " + adapters.backend + " adapter has been heard of since " + adapters.lastSeenAt + ".";
        return new Blocker(AWAY, message, ADAPTER);
    }
}
