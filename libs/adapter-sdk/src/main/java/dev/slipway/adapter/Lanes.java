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

/** The instances that this host knows, each with its lane. */
final class Lanes {
    private final Map<UUID, Lane> lanes = new HashMap<>();
    private final Function<InstanceLog, Lane> open;

    Lanes(Function<InstanceLog, Lane> open) {
        this.open = open;
    }

    void open(InstanceLog log) {
        lanes.put(log.appInstanceId(), open.apply(log));
    }

    /** A new one where there is none. */
    Lane of(UUID appInstanceId) {
        return lanes.computeIfAbsent(appInstanceId, id -> open.apply(InstanceLog.empty(id)));
    }

    Collection<Lane> all() {
        return lanes.values();
    }

    /** Those that were deployed here and not deleted since, or are about to be. */
    Set<UUID> deployed() {
        return lanes.values().stream()
                .map(Lane::log)
                .filter(log -> log.deployed() != null || !log.commands().isEmpty())
                .map(InstanceLog::appInstanceId)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Forgets those of which nothing has been heard for so long that no command of theirs can come again. */
    List<UUID> forget(Instant horizon) {
        var settled = lanes.values().stream()
                .map(Lane::log)
                .filter(log -> log.isSettled() && log.changedAt().isBefore(horizon))
                .map(InstanceLog::appInstanceId)
                .toList();
        settled.forEach(lanes::remove);
        return settled;
    }
}
