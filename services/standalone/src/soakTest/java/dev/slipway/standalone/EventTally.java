package dev.slipway.standalone;

import dev.slipway.testkit.EventTap.ObservedRecord;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Counts the events of many instances and detects gaps and duplicate numbers, storing only numbers and ids. */
final class EventTally {
    private final Map<String, Map<Long, UUID>> numbered = new HashMap<>();
    private final Map<String, Set<String>> instancesByType = new HashMap<>();
    private final List<String> faults = new ArrayList<>();

    synchronized void count(ObservedRecord observedRecord) {
        if (!observedRecord.topic().equals("instances.events")) {
            return;
        }
        var number = observedRecord.payload().path("sequence").asLong();
        var id = UUID.fromString(observedRecord.event().path("event_id").asText());
        var before = numbered.computeIfAbsent(observedRecord.key(), key -> new HashMap<>())
                .putIfAbsent(number, id);
        if (before != null && !before.equals(id)) {
            faults.add(observedRecord.key() + " has two events " + number);
        }
        instancesByType
                .computeIfAbsent(observedRecord.type(), type -> new HashSet<>())
                .add(observedRecord.key());
    }

    /** Returns the number of instances with an event of the type. */
    synchronized int of(String type) {
        return instancesByType.getOrDefault(type, Set.of()).size();
    }

    synchronized int instances() {
        return numbered.size();
    }

    /** Returns the instances with a missing event. */
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
