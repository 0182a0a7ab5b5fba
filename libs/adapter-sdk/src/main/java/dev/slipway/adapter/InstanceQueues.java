package dev.slipway.adapter;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The command queues of all instances known to this host. */
final class InstanceQueues {
    private final Map<UUID, InstanceQueue> queues = new HashMap<>();
    private final Function<InstanceLog, InstanceQueue> add;

    InstanceQueues(Function<InstanceLog, InstanceQueue> open) {
        this.add = open;
    }

    void add(InstanceLog log) {
        queues.put(log.appInstanceId(), add.apply(log));
    }

    InstanceQueue getOrCreate(UUID appInstanceId) {
        return queues.computeIfAbsent(appInstanceId, id -> add.apply(InstanceLog.empty(id)));
    }

    Collection<InstanceQueue> all() {
        return queues.values();
    }

    /** Returns the instances that are deployed or have pending commands. */
    Set<UUID> deployedIds() {
        return queues.values().stream()
                .map(InstanceQueue::log)
                .filter(log -> log.deployed() != null || !log.commands().isEmpty())
                .map(InstanceLog::appInstanceId)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Removes the queues without pending work whose last change is before {@code horizon}, and returns their instance ids. */
    List<UUID> removeSettledBefore(Instant horizon) {
        var settled = queues.values().stream()
                .map(InstanceQueue::log)
                .filter(log -> log.isRemovable() && log.changedAt().isBefore(horizon))
                .map(InstanceLog::appInstanceId)
                .toList();
        settled.forEach(queues::remove);
        return settled;
    }
}
