package dev.slipway.benchmarks;

import dev.slipway.embedded.EmbeddedMain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Measures the time from the `slipway` command to ready, with an empty and an existing home, and the memory used afterwards. */
final class StartBenchmark {
    private static final int PASSES = 3;
    private static final double BAR_SECONDS = 10;
    private static final double BAR_MIB = 600;

    private final Path directory;
    private final ResultTable resultTable;
    private double residentMib;
    private double postgresMib;
    private double cpuSeconds;

    StartBenchmark(Path directory, ResultTable resultTable) {
        this.directory = directory;
        this.resultTable = resultTable;
    }

    void measure() {
        var first = new double[PASSES];
        var again = new double[PASSES];
        var firstCpu = new double[PASSES];
        var againCpu = new double[PASSES];
        var bareFirst = new double[PASSES];
        var bareAgain = new double[PASSES];
        var resident = new double[PASSES];
        var postgres = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            var bare = directory.resolve("bare-" + pass);
            bareFirst[pass] = infrastructure(bare);
            bareAgain[pass] = infrastructure(bare);
            var home = directory.resolve("start-" + pass);
            first[pass] = standalone(home);
            firstCpu[pass] = cpuSeconds;
            again[pass] = standalone(home);
            againCpu[pass] = cpuSeconds;
            resident[pass] = residentMib;
            postgres[pass] = postgresMib;
        }
        add("standalone: command → ready, empty home", first, bareFirst, firstCpu);
        add("standalone: command → ready, second start", again, bareAgain, againCpu);
        var mib = ResultTable.median(resident);
        resultTable.add(new ResultTable.Row(
                "standalone: RSS of the JVM, 3 s after ready",
                ResultTable.number(mib) + " MiB",
                "",
                "",
                "≤ " + (int) BAR_MIB + " MiB",
                ResultTable.isMet(mib <= BAR_MIB),
                "Kafka is in it; PostgreSQL's processes beside it " + ResultTable.number(ResultTable.median(postgres))
                        + " MiB (PSS)"));
    }

    private void add(String what, double[] ours, double[] bare, double[] cpu) {
        var seconds = ResultTable.median(ours);
        var base = ResultTable.median(bare);
        resultTable.add(new ResultTable.Row(
                what,
                ResultTable.number(seconds) + " s",
                "embedded Kafka and PostgreSQL alone " + ResultTable.number(base) + " s",
                ResultTable.number(seconds / base),
                "≤ " + (int) BAR_SECONDS + " s",
                ResultTable.isMet(seconds <= BAR_SECONDS),
                "all services, the demo's tenants; " + ResultTable.number(ResultTable.median(cpu))
                        + " s of processor time"));
    }

    private double standalone(Path home) {
        var started = System.nanoTime();
        try (var child = standaloneProcess("standalone", directory, home)) {
            var banner = child.awaitLine("is ready");
            var seconds = (System.nanoTime() - started) / 1e9;
            cpuSeconds = child.cpuSeconds();
            BenchOutput.note(home.getFileName() + ": " + ResultTable.number(seconds) + " s, CPU "
                    + ResultTable.number(cpuSeconds) + " s;" + banner);
            LockSupport.parkNanos(3_000_000_000L);
            residentMib = child.residentMib();
            postgresMib = child.descendantsProportionalMib();
            return seconds;
        }
    }

    /** Starts the {@code slipway} command on free ports. */
    static MeasuredProcess standaloneProcess(String name, Path directory, Path home) {
        return new MeasuredProcess(
                name,
                directory,
                List.of(
                        "/usr/bin/env",
                        "SLIPWAY_HOME=" + home,
                        "SLIPWAY_HTTP_PORT=0",
                        "SLIPWAY_MANAGEMENT_PORT=0",
                        "SLIPWAY_KAFKA_PORT=0",
                        System.getProperty("bench.standalone", "")));
    }

    private double infrastructure(Path home) {
        var started = System.nanoTime();
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (var child =
                MeasuredProcess.java("bare", directory, BenchEnvironment.JVM, EmbeddedMain.class, home.toString())) {
            var ready = child.readReply();
            return ready.isEmpty() ? Double.NaN : (System.nanoTime() - started) / 1e9;
        }
    }
}
