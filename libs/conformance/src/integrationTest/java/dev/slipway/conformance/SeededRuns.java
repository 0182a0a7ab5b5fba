package dev.slipway.conformance;

import dev.slipway.conformance.seeded.SeededBug;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs the kit for several bugs concurrently, because the runs mostly wait. */
final class SeededRuns implements AutoCloseable {
    private static final int CONCURRENT_RUNS = 4;
    private static final int TIMEOUT_HOURS = 2;

    private final Map<SeededBug, Future<SeededRun>> runs = new EnumMap<>(SeededBug.class);
    private final ExecutorService pool = Executors.newFixedThreadPool(CONCURRENT_RUNS);
    private final Path home;

    SeededRuns(Path home) {
        this.home = home;
    }

    void start(SeededBug bug, String only, int patienceSeconds) {
        runs.put(bug, pool.submit(() -> SeededRun.of(bug, only, patienceSeconds, home.resolve(bug.name()))));
    }

    SeededRun of(SeededBug bug) throws Exception {
        return runs.get(bug).get(TIMEOUT_HOURS, TimeUnit.HOURS);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
