package dev.slipway.audit.status.component.domain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Computes the health of processes and components from reports. */
public final class ComponentRollout {
    private ComponentRollout() {}

    /** Returns the health of a process: what it reported, or unknown if that is older than the timeout. */
    public static RolloutStatus ofProcess(ProcessHealth process, Instant now, Duration timeout) {
        return isSilent(process, now, timeout) ? RolloutStatus.UNKNOWN : process.reported();
    }

    /**
     * Returns the health of a component. A process that stopped, or was silent and then replaced by one that started later, does not count. A
     * component with no other process is unavailable if its last one stopped, and unknown if it is silent.
     */
    public static RolloutStatus ofComponent(List<ProcessHealth> processes, Instant now, Duration timeout) {
        var counted = processes.stream()
                .filter(process -> !process.stopping() && !isReplaced(process, processes, now, timeout))
                .map(process -> ofProcess(process, now, timeout))
                .toList();
        if (counted.isEmpty()) {
            return processes.isEmpty() ? RolloutStatus.UNKNOWN : RolloutStatus.UNAVAILABLE;
        }
        if (counted.stream().allMatch(status -> status == RolloutStatus.UNKNOWN)) {
            return RolloutStatus.UNKNOWN;
        }
        if (counted.stream().allMatch(status -> status == RolloutStatus.READY)) {
            return RolloutStatus.READY;
        }
        return counted.stream().anyMatch(ComponentRollout::serves) ? RolloutStatus.DEGRADED : RolloutStatus.UNAVAILABLE;
    }

    private static boolean serves(RolloutStatus status) {
        return switch (status) {
            case READY, DEGRADED -> true;
            case UNAVAILABLE, UNKNOWN -> false;
        };
    }

    private static boolean isReplaced(
            ProcessHealth process, List<ProcessHealth> processes, Instant now, Duration timeout) {
        return isSilent(process, now, timeout)
                && processes.stream().anyMatch(other -> other.startedAt().isAfter(process.observedAt()));
    }

    private static boolean isSilent(ProcessHealth process, Instant now, Duration timeout) {
        return process.observedAt().plus(timeout).isBefore(now);
    }
}
