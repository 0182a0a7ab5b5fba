package dev.slipway.operations.domain;

import dev.slipway.operations.domain.Operation.Blocker;
import dev.slipway.operations.domain.Operation.Progress;
import dev.slipway.operations.domain.Operation.Status;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Computes what operations wait for. */
public final class OperationBlockers {
    private static final String ADAPTER = "adapter";
    private static final String ADAPTER_UNAVAILABLE = "adapter_unavailable";
    private static final String RUNTIME_SILENT = "runtime_silent";
    private static final String REPORTS_REJECTED = "reports_rejected";
    private static final Set<String> ADAPTER_CODES = Set.of(ADAPTER_UNAVAILABLE, RUNTIME_SILENT, REPORTS_REJECTED);

    private OperationBlockers() {}

    /**
     * The availability of a backend's adapters.
     *
     * @param lastSeenAt time of the last heartbeat; null without one
     * @param timeout after this long without a heartbeat the adapters count as unavailable
     */
    public record AdapterAvailability(
            String backend, @Nullable Instant lastSeenAt, Duration timeout) {
        public boolean isAvailable(Instant now) {
            return lastSeenAt != null && lastSeenAt.isAfter(now.minus(timeout));
        }
    }

    /** Rejected reports on the command of an operation; {@code lastReason} starts with the error code. */
    public record RejectedReports(long count, String lastReason) {}

    /** Returns everything that an operation waits for: the adapter itself, and the blockers that it reported. */
    public static List<Blocker> current(Operation operation, AdapterAvailability adapters, Instant now) {
        if (operation.status().isEnded()) {
            return List.of();
        }
        if (operation.commandId() == null) {
            return operation.progress().blockers(); // no adapter executes it
        }
        var blockers = new ArrayList<Blocker>();
        if (areUnavailable(operation, adapters, now)) {
            blockers.add(unavailable(adapters));
        } else if (operation.status() == Status.ACCEPTED) {
            blockers.add(new Blocker(
                    "adapter_pending",
                    "The " + adapters.backend + " adapter has not accepted the command yet.",
                    ADAPTER));
        }
        operation.progress().blockers().stream()
                .filter(reported ->
                        blockers.stream().noneMatch(known -> known.code().equals(reported.code())))
                .forEach(blockers::add);
        return blockers;
    }

    /** Returns the reason why an operation did not end before its deadline; {@code rejected} is null if no report was rejected. */
    public static Blocker atDeadline(
            Operation operation, AdapterAvailability adapters, @Nullable RejectedReports rejected, Instant now) {
        if (rejected != null) {
            return new Blocker(
                    REPORTS_REJECTED,
                    "The " + adapters.backend + " adapter reported on the command, but the platform rejected "
                            + rejected.count + (rejected.count == 1 ? " report" : " reports") + ". Last reason: "
                            + rejected.lastReason,
                    ADAPTER);
        }
        if (areUnavailable(operation, adapters, now)) {
            return unavailable(adapters);
        }
        if (operation.status() == Status.ACCEPTED) {
            return new Blocker(
                    ADAPTER_UNAVAILABLE,
                    "No " + adapters.backend + " adapter accepted the command before the deadline.",
                    ADAPTER);
        }
        var reported = withoutAdapterBlockers(operation.progress().blockers()).stream()
                .findFirst()
                .map(blocker -> " Last reported blocker: " + blocker.message())
                .orElse("");
        return new Blocker(
                RUNTIME_SILENT,
                "The " + adapters.backend + " adapter accepted the command and reported no result before the deadline."
                        + reported,
                ADAPTER);
    }

    /** Returns the progress after a report; what the report leaves out stays as it was. */
    public static Progress merge(
            Progress before, @Nullable Integer percent, @Nullable String message, @Nullable List<Blocker> blockers) {
        return new Progress(
                percent == null ? before.percent() : percent,
                message == null ? before.message() : message,
                blockers == null ? withoutAdapterBlockers(before.blockers()) : blockers);
    }

    /** Returns the blockers that are left once the adapter reports: those about its silence are obsolete. */
    static List<Blocker> withoutAdapterBlockers(List<Blocker> blockers) {
        return blockers.stream()
                .filter(blocker -> !ADAPTER_CODES.contains(blocker.code()))
                .toList();
    }

    /** An adapter that has reported on the operation is not unavailable merely because it never sent a heartbeat. */
    private static boolean areUnavailable(Operation operation, AdapterAvailability adapters, Instant now) {
        return !adapters.isAvailable(now) && (adapters.lastSeenAt != null || operation.status() == Status.ACCEPTED);
    }

    private static Blocker unavailable(AdapterAvailability adapters) {
        var message = adapters.lastSeenAt == null
                ? "No " + adapters.backend + " adapter has sent a heartbeat yet."
                : "No " + adapters.backend + " adapter has sent a heartbeat since " + adapters.lastSeenAt + ".";
        return new Blocker(ADAPTER_UNAVAILABLE, message, ADAPTER);
    }
}
