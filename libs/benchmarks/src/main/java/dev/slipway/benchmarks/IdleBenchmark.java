package dev.slipway.benchmarks;

import dev.slipway.embedded.EmbeddedMain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Measures the processor time of an idle standalone process and of an idle process with the embedded servers only. */
final class IdleBenchmark {
    private static final double BAR_PERCENT = 4;
    private static final double SETTLE_SECONDS = 120;
    private static final double MEASURE_SECONDS = 60;

    private final Path directory;
    private final ResultTable table;

    IdleBenchmark(Path directory, ResultTable table) {
        this.directory = directory;
        this.table = table;
    }

    /** The processor time per second of a process and of its child processes, in percent. */
    private record Usage(double process, double children) {}

    void measure() {
        Usage bare;
        try (var child = MeasuredProcess.java(
                "idle-bare", directory, BenchEnvironment.JVM, EmbeddedMain.class, home("idle-bare"))) {
            if (child.readReply().isEmpty()) {
                throw new IllegalStateException("Kafka and PostgreSQL did not start");
            }
            bare = measure(child);
        }
        Usage idle;
        try (var child = StartBenchmark.standaloneProcess("idle", directory, directory.resolve("idle"))) {
            BenchOutput.note("idle, standalone:" + child.awaitLine("is ready"));
            idle = measure(child);
        }
        table.add(new ResultTable.Row(
                "standalone: idle JVM, two minutes after ready",
                ResultTable.number(idle.process) + " % of one core",
                "embedded Kafka and PostgreSQL only " + ResultTable.number(bare.process) + " %",
                ResultTable.number(idle.process / bare.process),
                "≤ " + (int) BAR_PERCENT + " %",
                ResultTable.isMet(idle.process <= BAR_PERCENT),
                "includes the embedded broker; PostgreSQL uses another " + ResultTable.number(idle.children) + " %"));
    }

    private static Usage measure(MeasuredProcess child) {
        pause(SETTLE_SECONDS);
        var process = child.ownCpuSeconds();
        var all = child.cpuSeconds();
        var start = System.nanoTime();
        pause(MEASURE_SECONDS);
        var seconds = (System.nanoTime() - start) / 1e9;
        var processPercent = 100 * (child.ownCpuSeconds() - process) / seconds;
        return new Usage(processPercent, 100 * (child.cpuSeconds() - all) / seconds - processPercent);
    }

    private static void pause(double seconds) {
        var end = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private String home(String name) {
        try {
            return Files.createDirectories(directory.resolve(name)).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
