package dev.slipway.service.consistency;

import dev.slipway.service.consistency.ConsistencyJson.CheckCompleted;
import dev.slipway.service.consistency.ConsistencyJson.Difference;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Counts the rows and differences of a pass, and keeps the first differences as examples. */
final class Tally {
    private static final int MAX_EXAMPLES = 10;

    private final Instant startedAt;
    private final List<Difference> examples = new ArrayList<>();
    private long checked;
    private long differences;

    Tally(Instant startedAt) {
        this.startedAt = startedAt;
    }

    void add(int rows, List<Difference> found) {
        checked += rows;
        differences += found.size();
        found.stream().limit(MAX_EXAMPLES - examples.size()).forEach(examples::add);
    }

    CheckCompleted toResult(String service, String check, String description, Instant completedAt) {
        return new CheckCompleted(
                service, check, description, startedAt, completedAt, checked, differences, List.copyOf(examples));
    }
}
