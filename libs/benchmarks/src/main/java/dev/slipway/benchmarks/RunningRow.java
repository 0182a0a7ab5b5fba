package dev.slipway.benchmarks;

import dev.slipway.testkit.SimulatedAdapter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** How long a launch takes with an adapter that has nothing to do, and what the platform costs when nothing happens. */
final class RunningRow {
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
    private static final String SERVICES = HttpRows.ALL;
    private static final String RUNNING = "instances.app_instances WHERE status = 'running'";
    private static final String COPY = """
            INSERT INTO instances.app_instances
            SELECT made.* FROM (SELECT to_jsonb(a) AS row FROM instances.app_instances a WHERE status = 'running' LIMIT 1) one,
                generate_series(1, %d) n,
                jsonb_populate_record(NULL::instances.app_instances,
                    one.row || jsonb_build_object('id', gen_random_uuid(), 'resource_name', 'idle-' || n)) made
            """;

    private final Stage stage;
    private final Table table;
    private final Path directory;

    RunningRow(Stage stage, Table table, Path directory) {
        this.stage = stage;
        this.table = table;
        this.directory = directory;
    }

    void measure() {
        try (var platform = stage.platform(SERVICES);
                var adapter = adapter(platform)) {
            var requests = stage.requests(
                    "running",
                    HttpRows.lines(i -> "POST\t/api/v1/projects/" + Seeds.project(i) + "/app-instances\t"
                            + platform.tokenFor(i) + "\t" + Seeds.launch()));
            stage.awaitTenants();
            Console.note(adapter.lineWith("adapter takes commands"));
            stage.settle(SERVICES);
            var withNone = busy(platform);
            stage.warmUntilCompiled(platform.process(), () -> {
                stage.warm(platform.port(), requests, WARM, WARM_SECONDS, 0);
                settle();
            });
            launches(platform, requests);
            idle(platform, withNone);
        }
    }

    private void launches(Stage.Running platform, Path requests) {
        var events = new EventsRow(stage, table);
        var median = new double[PASSES];
        var p99 = new double[PASSES];
        var raw = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            raw[pass] = EventsRow.ms(events.raw(), 50);
            var count = (int) (RATE * SECONDS);
            var taken = events.sinceAccepted("apps.instance.running", count, () -> {
                stage.warm(platform.port(), requests, count, SECONDS * 2, RATE);
                settle();
            });
            median[pass] = EventsRow.ms(taken, 50);
            p99[pass] = EventsRow.ms(taken, 99);
        }
        var base = Table.median(raw);
        add(
                "accepted → running event, an adapter that is at once done, " + RATE + "/s, p50",
                median,
                base,
                MEDIAN_BAR_MS);
        add("the same, p99", p99, base, P99_BAR_MS);
    }

    /** Until everything runs that was launched, and nobody has anything left to do for it. */
    private void settle() {
        var started = System.nanoTime();
        while (!stage.database().texts(UNDER_WAY).isEmpty()) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the adapter does not catch up");
            }
            LockSupport.parkNanos(100_000_000);
        }
        stage.settle(SERVICES);
    }

    private void add(String what, double[] passes, double base, double bar) {
        var ours = Table.median(passes);
        table.add(new Table.Row(
                what,
                Table.number(ours) + " ms",
                "raw produce → consume, p50 " + Table.number(base) + " ms",
                Table.number(ours / base),
                "≤ " + (int) bar + " ms",
                Table.met(ours <= bar),
                "from the commit of the launch; token exchange, three topics and the adapter's journal between"));
    }

    private void idle(Stage.Running platform, double withNone) {
        var missing = INSTANCES - stage.database().count(RUNNING);
        stage.database().execute(COPY.formatted(Math.max(0, missing)));
        var many = busy(platform);
        table.add(new Table.Row(
                "idle platform with " + Table.number((double) stage.database().count(RUNNING)) + " running instances",
                Table.number(many) + " % of one core",
                "with none, just started " + Table.number(withNone) + " %",
                Table.number(many / withNone),
                "< " + (int) IDLE_BAR + " %",
                Table.met(many < IDLE_BAR),
                "all services in one process, without Kafka and PostgreSQL"));
    }

    private static double busy(Stage.Running platform) {
        LockSupport.parkNanos(5_000_000_000L);
        var before = platform.process().cpuSeconds();
        var started = System.nanoTime();
        LockSupport.parkNanos((long) (IDLE_SECONDS * 1e9));
        return 100 * (platform.process().cpuSeconds() - before) / ((System.nanoTime() - started) / 1e9);
    }

    private Child adapter(Stage.Running platform) {
        try {
            var secret = Files.writeString(directory.resolve("adapter-secret"), Seeds.ADAPTER_SECRET);
            return Child.java(
                    "adapter",
                    directory,
                    // It keeps all its instances in memory: with less than they need it would do nothing but collect.
                    List.of("-Xmx384m", "-XX:+UseSerialGC"),
                    SimulatedAdapter.class,
                    "http://127.0.0.1:" + platform.port(),
                    stage.kafkaBootstrap(),
                    "",
                    Seeds.ADAPTER.toString(),
                    secret.toString(),
                    directory.resolve("adapter").toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
