package dev.slipway.instances.history.domain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Tells an instance's state from its events: every event says what it changed, and the last one to say something is right. */
public final class InstanceHistory {
    private static final int MOST_MISSING = 100;
    private static final String NONE = "null";

    private InstanceHistory() {}

    /** The state after the facts, which are in the order of their sequence; some that change nothing but the sequence may be left out. */
    public static PastState fold(List<Fact> facts) {
        var fields = new HashMap<String, String>();
        var missing = new ArrayList<Long>();
        var sequence = 0L;
        for (var fact : facts) {
            for (var absent = sequence + 1; absent < fact.sequence() && missing.size() < MOST_MISSING; absent++) {
                missing.add(absent);
            }
            sequence = fact.sequence();
            apply(fields, fact);
        }
        return new PastState(sequence, fields, missing);
    }

    /** What the row and the events of an instance do not agree on, by name. */
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

    private static void apply(Map<String, String> fields, Fact fact) {
        fields.put("sequence", String.valueOf(fact.sequence()));
        fields.putAll(fact.says());
        if (!fact.isOfItself()) {
            return;
        }
        fields.put("updated_at", json(fact.at()));
        switch (fact.eventType()) {
            case "apps.instance.requested" -> {
                fields.put("created_at", json(fact.at()));
                fields.put("deleted_at", NONE);
            }
            case "apps.instance.deleted" -> fields.put("deleted_at", json(fact.at()));
            default -> {
                // What else happens to it has no time of its own.
            }
        }
    }

    private static String json(Instant at) {
        return "\"" + at + "\"";
    }
}
