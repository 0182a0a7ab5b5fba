package dev.slipway.standalone;

import dev.slipway.testkit.EventTap.Seen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Counts the events of many instances, and remembers of each only its number and id: each has to be there, and no other under its number. */
final class Tally {
    private final Map<String, Map<Long, UUID>> numbered = new HashMap<>();
    private final Map<String, Set<String>> instancesByType = new HashMap<>();
    private final List<String> faults = new ArrayList<>();

    synchronized void count(Seen seen) {
        if (!seen.topic().equals("instances.events")) {
            return;
        }
        var number = seen.payload().path("sequence").asLong();
        var id = UUID.fromString(seen.event().path("event_id").asText());
        var before =
                numbered.computeIfAbsent(seen.key(), key -> new HashMap<>()).putIfAbsent(number, id);
        if (before != null && !before.equals(id)) {
            faults.add(seen.key() + " has two events " + number);
        }
        instancesByType.computeIfAbsent(seen.type(), type -> new HashSet<>()).add(seen.key());
    }

    /** How many instances had an event of the type. */
    synchronized int of(String type) {
        return instancesByType.getOrDefault(type, Set.of()).size();
    }

    synchronized int instances() {
        return numbered.size();
    }

    /** Those of whose events one before the last that was seen is missing. */
    synchronized List<String> incomplete() {
        return numbered.entrySet().stream()
                .filter(events -> events.getValue().keySet().stream()
                                .mapToLong(Long::longValue)
                                .max()
                                .orElse(0)
                        != events.getValue().size())
                .map(Map.Entry::getKey)
                .toList();
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }
}
