package dev.slipway.benchmarks;

import dev.slipway.embedded.EmbeddedMain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** From the start of the `slipway` command to ready, on an empty home and on its own; and what it then holds in memory. */
final class StartRow {
    private static final int PASSES = 3;
    private static final double BAR_SECONDS = 10;
    private static final double BAR_MIB = 600;

    private final Path directory;
    private final Table table;
    private double residentMib;
    private double postgresMib;
    private double cpuSeconds;

    StartRow(Path directory, Table table) {
        this.directory = directory;
        this.table = table;
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
        var mib = Table.median(resident);
        table.add(new Table.Row(
                "standalone: RSS of the JVM, 3 s after ready",
                Table.number(mib) + " MiB",
                "",
                "",
                "≤ " + (int) BAR_MIB + " MiB",
                Table.met(mib <= BAR_MIB),
                "Kafka is in it; PostgreSQL's processes beside it " + Table.number(Table.median(postgres))
                        + " MiB (PSS)"));
    }

    private void add(String what, double[] ours, double[] bare, double[] cpu) {
        var seconds = Table.median(ours);
        var base = Table.median(bare);
        table.add(new Table.Row(
                what,
                Table.number(seconds) + " s",
                "embedded Kafka and PostgreSQL alone " + Table.number(base) + " s",
                Table.number(seconds / base),
                "≤ " + (int) BAR_SECONDS + " s",
                Table.met(seconds <= BAR_SECONDS),
                "all services, the demo's tenants; " + Table.number(Table.median(cpu)) + " s of processor time"));
    }

    private double standalone(Path home) {
        var command = System.getProperty("bench.standalone", "");
        var started = System.nanoTime();
        try (var child = new Child(
                "standalone",
                directory,
                List.of(
                        "/usr/bin/env",
                        "SLIPWAY_HOME=" + home,
                        "SLIPWAY_HTTP_PORT=0",
                        "SLIPWAY_MANAGEMENT_PORT=0",
                        "SLIPWAY_KAFKA_PORT=0",
                        command))) {
            var banner = child.lineWith("is ready");
            var seconds = (System.nanoTime() - started) / 1e9;
            cpuSeconds = child.cpuSeconds();
            Console.note(home.getFileName() + ": " + Table.number(seconds) + " s, CPU " + Table.number(cpuSeconds)
                    + " s;" + banner);
            LockSupport.parkNanos(3_000_000_000L);
            residentMib = child.residentMib();
            postgresMib = child.descendantsProportionalMib();
            return seconds;
        }
    }

    private double infrastructure(Path home) {
        var started = System.nanoTime();
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (var child = Child.java("bare", directory, Stage.JVM, EmbeddedMain.class, home.toString())) {
            var ready = child.answer();
            return ready.isEmpty() ? Double.NaN : (System.nanoTime() - started) / 1e9;
        }
    }
}
