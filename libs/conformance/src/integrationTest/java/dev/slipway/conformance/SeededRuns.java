package dev.slipway.conformance;

import dev.slipway.conformance.seeded.Bug;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A run for each bug, several at a time: mostly they wait. */
final class SeededRuns implements AutoCloseable {
    private static final int AT_A_TIME = 6;
    private static final int PATIENCE_HOURS = 2;

    private final Map<Bug, Future<SeededRun>> runs = new EnumMap<>(Bug.class);
    private final ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME);
    private final Path home;

    SeededRuns(Path home) {
        this.home = home;
    }

    void start(Bug bug, String only, int patienceSeconds) {
        runs.put(bug, pool.submit(() -> SeededRun.of(bug, only, patienceSeconds, home.resolve(bug.name()))));
    }

    SeededRun of(Bug bug) throws Exception {
        return runs.get(bug).get(PATIENCE_HOURS, TimeUnit.HOURS);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
