package dev.slipway.benchmarks;

import dev.slipway.testkit.TemporaryDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Measures the selected rows, by default all, and prints one table. */
public final class BenchMain {
    private static final List<String> ROWS = List.of(
            "get",
            "post",
            "events",
            "exchange",
            "usage",
            "reports",
            "catalog",
            "audit",
            "runtimes",
            "running",
            "authz",
            "policy",
            "tenants",
            "start",
            "idle");

    private BenchMain() {}

    public static void main(String[] arguments) throws IOException {
        var rows = isSelected(arguments);
        var temporary = TemporaryDirectory.named("slipway-bench");
        var directory = temporary.path();
        open(directory);
        var resultTable = new ResultTable();
        BenchOutput.note("logs are in " + directory);
        if (rows.contains("start")) {
            new StartBenchmark(directory, resultTable).measure();
        }
        if (rows.contains("idle")) {
            new IdleBenchmark(directory, resultTable).measure();
        }
        if (rows.contains("authz")) {
            authz(directory, resultTable);
        }
        if (rows.contains("policy")) {
            policy(directory, resultTable);
        }
        if (rows.contains("tenants")) {
            tenants(directory, resultTable);
        }
        if (rows.contains("catalog")) {
            try (var small = environment(directory, "small");
                    var large = environment(directory, "large")) {
                new CatalogBenchmark(small, large, resultTable).measure();
            }
        }
        if (rows.contains("runtimes")) {
            try (var small = environment(directory, "few-runtimes");
                    var large = environment(directory, "many-runtimes")) {
                new SharedRuntimeBenchmark(small, large, resultTable).measure();
            }
        }
        if (rows.contains("audit")) {
            try (var stage = environment(directory, "audit")) {
                new AuditBenchmark(stage, resultTable).measure();
            }
        }
        if (rows.contains("reports")) {
            try (var stage = environment(directory, "reports")) {
                new UsageReportBenchmark(stage, resultTable).measure();
            }
        }
        if (rows.stream().anyMatch(List.of("get", "post", "events", "exchange", "usage", "running")::contains)) {
            try (var stage = environment(directory, "platform")) {
                // First: its adapter would have to launch what the others leave behind.
                if (rows.contains("running")) {
                    new LaunchBenchmark(stage, resultTable, directory).measure();
                }
                if (rows.contains("get") || rows.contains("post")) {
                    new HttpBenchmark(stage, resultTable).measure(rows.contains("get"), rows.contains("post"));
                }
                if (rows.contains("events")) {
                    new EventLatencyBenchmark(stage, resultTable).measure();
                }
                if (rows.contains("exchange")) {
                    new TokenExchangeBenchmark(stage, resultTable).measure();
                }
                if (rows.contains("usage")) {
                    try (var usage = new UsageBenchmark(stage, resultTable)) {
                        usage.measure();
                    }
                }
            }
        }
        var text = LocalDate.now(ZoneOffset.UTC) + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + Runtime.version() + "\n\n" + resultTable.markdown();
        BenchOutput.print(text);
        Files.writeString(Path.of(System.getProperty("bench.results", "bench.md")), text);
        temporary.close(); // only now: where something went wrong, the logs are needed
    }

    private static BenchEnvironment environment(Path directory, String name) throws IOException {
        var own = Files.createDirectory(directory.resolve(name));
        open(own);
        return new BenchEnvironment(own, System.getProperty("bench.profile", ""));
    }

    /** PostgreSQL may run as another user. */
    private static void open(Path directory) {
        directory.toFile().setExecutable(true, false);
        directory.toFile().setReadable(true, false);
    }

    private static void authz(Path directory, ResultTable resultTable) {
        try (var child = MeasuredProcess.java(
                "authz", directory, List.of("-Xmx512m", "-XX:+UseSerialGC"), AuthzBenchmark.class)) {
            var result = child.readReply();
            var decisions = result.path("decisions").asDouble();
            var lookups = result.path("lookups").asDouble();
            var cost = decisions / result.path("explanations").asDouble();
            resultTable.add(new ResultTable.Row(
                    "authorization decision in process, one core",
                    ResultTable.number(decisions) + "/s",
                    "one HashMap lookup by UUID " + ResultTable.number(lookups) + "/s",
                    ResultTable.number(decisions / lookups),
                    "≥ 1,000,000/s",
                    ResultTable.isMet(decisions >= 1_000_000),
                    "1,000,000 bindings over 10,000 tenants in "
                            + result.path("heap_mib").asInt()
                            + " MiB; half allowed, a quarter without the action, a quarter not bound"));
            resultTable.add(new ResultTable.Row(
                    "its explanation, as cost of a decision",
                    ResultTable.number(result.path("explanations").asDouble()) + "/s",
                    "the decision " + ResultTable.number(decisions) + "/s",
                    ResultTable.number(cost) + " ×",
                    "≤ 3 ×",
                    ResultTable.isMet(cost <= 3),
                    ""));
        }
    }

    private static void policy(Path directory, ResultTable resultTable) {
        try (var child = MeasuredProcess.java(
                "policy", directory, List.of("-Xmx256m", "-XX:+UseSerialGC"), PolicyBenchmark.class)) {
            var result = child.readReply();
            var microseconds = 1e6 / result.path("policies").asDouble();
            var intersections = 1e6 / result.path("intersections").asDouble();
            resultTable.add(new ResultTable.Row(
                    "effective policy of five levels in process",
                    ResultTable.number(microseconds) + " µs",
                    "one list of it intersected by hand " + ResultTable.number(intersections) + " µs",
                    ResultTable.number(microseconds / intersections) + " ×",
                    "≤ 20 µs",
                    ResultTable.isMet(microseconds <= 20),
                    result.path("keys").asInt() + " keys, each said at every level; with its version"));
        }
    }

    private static void tenants(Path directory, ResultTable resultTable) throws IOException {
        var own = Files.createDirectory(directory.resolve("tenants"));
        open(own);
        try (var child = MeasuredProcess.java(
                "tenants", directory, List.of("-Xmx512m", "-XX:+UseSerialGC"), TenantBenchmark.class, own.toString())) {
            TenantRows.add(child.readReply(), resultTable);
        }
    }

    private static Set<String> isSelected(String[] arguments) {
        var asked = arguments.length == 0 ? "" : arguments[0];
        var rows = asked.isBlank() ? new TreeSet<>(ROWS) : new TreeSet<>(Arrays.asList(asked.split(",")));
        if (!ROWS.containsAll(rows)) {
            throw new IllegalArgumentException("rows are some of " + String.join(",", ROWS) + ", not " + asked);
        }
        return rows;
    }
}
