package dev.slipway.instances.appinstance.domain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Computes the state of an instance from its events: for each field, the last event that sets it applies. */
public final class InstanceHistory {
    private static final int MAX_MISSING = 100;
    private static final String NULL = "null";

    private InstanceHistory() {}

    /** Returns the state after the events, which are in the order of their sequence. */
    public static PastState fold(List<PastEvent> events) {
        var fields = new HashMap<String, String>();
        var missing = new ArrayList<Long>();
        var sequence = 0L;
        for (var event : events) {
            for (var absent = sequence + 1; absent < event.sequence() && missing.size() < MAX_MISSING; absent++) {
                missing.add(absent);
            }
            sequence = event.sequence();
            apply(fields, event);
        }
        return new PastState(sequence, fields, missing);
    }

    /** Returns the fields of an instance's row that differ from its events, by name. */
    public static List<Difference> differences(Map<String, String> row, PastState folded) {
        var differences = new ArrayList<Difference>();
        for (var field : new TreeSet<>(row.keySet())) {
            if (!Objects.equals(row.get(field), folded.fields().get(field))) {
                differences.add(
                        new Difference(field, row.get(field), folded.fields().get(field)));
            }
        }
        return differences;
    }

    private static void apply(Map<String, String> fields, PastEvent event) {
        fields.put("sequence", String.valueOf(event.sequence()));
        fields.putAll(event.fields());
        if (!event.isInstanceEvent()) {
            return;
        }
        fields.put("updated_at", json(event.at()));
        switch (event.eventType()) {
            case "apps.instance.requested" -> {
                fields.put("created_at", json(event.at()));
                fields.put("deleted_at", NULL);
            }
            case "apps.instance.deleted" -> fields.put("deleted_at", json(event.at()));
            default -> {
                // The other events have no time of their own.
            }
        }
    }

    private static String json(Instant at) {
        return "\"" + at + "\"";
    }
}
