package dev.slipway.benchmarks;

import dev.slipway.testkit.SimulatedAdapter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Measures the duration of a launch with an adapter that does nothing, and the cost of an idle platform. */
final class LaunchBenchmark {
    private static final int RATE = 20;
    private static final int PASSES = 3;
    private static final double SECONDS = 10;
    private static final int WARM = 400;
    private static final double WARM_SECONDS = 20;
    private static final long SETTLE_NS = 120_000_000_000L;
    private static final String UNDER_WAY = "SELECT 1 FROM instances.app_instances WHERE status <> 'running' LIMIT 1";
    private static final double MEDIAN_BAR_MS = 40;
    private static final double P99_BAR_MS = 150;
    private static final double IDLE_BAR = 5;
    private static final double IDLE_SECONDS = 20;
    private static final int INSTANCES = 10_000;
    private static final String SERVICES = HttpBenchmark.ALL;
    private static final String RUNNING = "instances.app_instances WHERE status = 'running'";
    private static final String COPY = """
            INSERT INTO instances.app_instances
            SELECT made.* FROM (SELECT to_jsonb(a) AS row FROM instances.app_instances a WHERE status = 'running' LIMIT 1) one,
                generate_series(1, %d) n,
                jsonb_populate_record(NULL::instances.app_instances,
                    one.row || jsonb_build_object('id', gen_random_uuid(), 'resource_name', 'idle-' || n)) made
            """;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;
    private final Path directory;

    LaunchBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable, Path directory) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
        this.directory = directory;
    }

    void measure() {
        try (var platform = benchEnvironment.platform(SERVICES);
                var adapter = adapter(platform)) {
            var requests = benchEnvironment.requests(
                    "running",
                    HttpBenchmark.lines(i -> "POST\t/api/v1/projects/" + BenchSeeds.project(i) + "/app-instances\t"
                            + platform.tokenFor(i) + "\t" + BenchSeeds.launch()));
            benchEnvironment.awaitTenants();
            BenchOutput.note(adapter.awaitLine("adapter takes commands"));
            benchEnvironment.awaitIdle(SERVICES);
            var withNone = busy(platform);
            benchEnvironment.warmUpUntilCompiled(platform.process(), () -> {
                benchEnvironment.warmUp(platform.port(), requests, WARM, WARM_SECONDS, 0);
                awaitIdle();
            });
            launches(platform, requests);
            idle(platform, withNone);
        }
    }

    private void launches(BenchEnvironment.RunningPlatform platform, Path requests) {
        var events = new EventLatencyBenchmark(benchEnvironment, resultTable);
        var median = new double[PASSES];
        var p99 = new double[PASSES];
        var raw = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            raw[pass] = EventLatencyBenchmark.ms(events.raw(), 50);
            var count = (int) (RATE * SECONDS);
            var taken = events.latencySinceCommit("apps.instance.running", count, () -> {
                benchEnvironment.warmUp(platform.port(), requests, count, SECONDS * 2, RATE);
                awaitIdle();
            });
            median[pass] = EventLatencyBenchmark.ms(taken, 50);
            p99[pass] = EventLatencyBenchmark.ms(taken, 99);
        }
        var base = ResultTable.median(raw);
        add(
                "accepted → running event, an adapter that is at once done, " + RATE + "/s, p50",
                median,
                base,
                MEDIAN_BAR_MS);
        add("the same, p99", p99, base, P99_BAR_MS);
    }

    /** Waits until every launched instance runs and all consumers have caught up. */
    private void awaitIdle() {
        var started = System.nanoTime();
        while (!benchEnvironment.database().texts(UNDER_WAY).isEmpty()) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the adapter does not catch up");
            }
            LockSupport.parkNanos(100_000_000);
        }
        benchEnvironment.awaitIdle(SERVICES);
    }

    private void add(String what, double[] passes, double base, double bar) {
        var ours = ResultTable.median(passes);
        resultTable.add(new ResultTable.Row(
                what,
                ResultTable.number(ours) + " ms",
                "raw produce → consume, p50 " + ResultTable.number(base) + " ms",
                ResultTable.number(ours / base),
                "≤ " + (int) bar + " ms",
                ResultTable.isMet(ours <= bar),
                "from the commit of the launch; token exchange, three topics and the adapter's journal between"));
    }

    private void idle(BenchEnvironment.RunningPlatform platform, double withNone) {
        var missing = INSTANCES - benchEnvironment.database().count(RUNNING);
        benchEnvironment.database().execute(COPY.formatted(Math.max(0, missing)));
        var many = busy(platform);
        resultTable.add(new ResultTable.Row(
                "idle platform with "
                        + ResultTable.number(
                                (double) benchEnvironment.database().count(RUNNING)) + " running instances",
                ResultTable.number(many) + " % of one core",
                "with none, just started " + ResultTable.number(withNone) + " %",
                ResultTable.number(many / withNone),
                "< " + (int) IDLE_BAR + " %",
                ResultTable.isMet(many < IDLE_BAR),
                "all services in one process, without Kafka and PostgreSQL"));
    }

    private static double busy(BenchEnvironment.RunningPlatform platform) {
        LockSupport.parkNanos(5_000_000_000L);
        var before = platform.process().cpuSeconds();
        var started = System.nanoTime();
        LockSupport.parkNanos((long) (IDLE_SECONDS * 1e9));
        return 100 * (platform.process().cpuSeconds() - before) / ((System.nanoTime() - started) / 1e9);
    }

    private MeasuredProcess adapter(BenchEnvironment.RunningPlatform platform) {
        try {
            var secret = Files.writeString(directory.resolve("adapter-secret"), BenchSeeds.ADAPTER_SECRET);
            return MeasuredProcess.java(
                    "adapter",
                    directory,
                    // It keeps all its instances in memory: with less than they need it would do nothing but collect.
                    List.of("-Xmx384m", "-XX:+UseSerialGC"),
                    SimulatedAdapter.class,
                    "http://127.0.0.1:" + platform.port(),
                    benchEnvironment.kafkaBootstrap(),
                    "",
                    BenchSeeds.ADAPTER.toString(),
                    secret.toString(),
                    directory.resolve("adapter").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
