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

/** Measures the rows that it is asked for, all by default, and prints one table. */
public final class BenchMain {
    private static final List<String> ROWS =
            List.of("get", "post", "events", "exchange", "catalog", "running", "authz", "policy", "start");

    private BenchMain() {}

    public static void main(String[] arguments) throws IOException {
        var rows = chosen(arguments);
        var temporary = TemporaryDirectory.named("slipway-bench");
        var directory = temporary.path();
        open(directory);
        var table = new Table();
        Console.note("logs are in " + directory);
        if (rows.contains("start")) {
            new StartRow(directory, table).measure();
        }
        if (rows.contains("authz")) {
            authz(directory, table);
        }
        if (rows.contains("policy")) {
            policy(directory, table);
        }
        if (rows.contains("catalog")) {
            try (var small = stage(directory, "small");
                    var large = stage(directory, "large")) {
                new CatalogRow(small, large, table).measure();
            }
        }
        if (rows.stream().anyMatch(List.of("get", "post", "events", "exchange", "running")::contains)) {
            try (var stage = stage(directory, "platform")) {
                // First: its adapter would have to launch what the others leave behind.
                if (rows.contains("running")) {
                    new RunningRow(stage, table, directory).measure();
                }
                if (rows.contains("get") || rows.contains("post")) {
                    new HttpRows(stage, table).measure(rows.contains("get"), rows.contains("post"));
                }
                if (rows.contains("events")) {
                    new EventsRow(stage, table).measure();
                }
                if (rows.contains("exchange")) {
                    new ExchangeRow(stage, table).measure();
                }
            }
        }
        var text = LocalDate.now(ZoneOffset.UTC) + ", " + Runtime.getRuntime().availableProcessors()
                + " processors, Java " + Runtime.version() + "\n\n" + table.markdown();
        Console.print(text);
        Files.writeString(Path.of(System.getProperty("bench.results", "bench.md")), text);
        temporary.close(); // only now: where something went wrong, the logs are needed
    }

    private static Stage stage(Path directory, String name) throws IOException {
        var own = Files.createDirectory(directory.resolve(name));
        open(own);
        return new Stage(own, System.getProperty("bench.profile", ""));
    }

    /** PostgreSQL may run as another user than this one. */
    private static void open(Path directory) {
        directory.toFile().setExecutable(true, false);
        directory.toFile().setReadable(true, false);
    }

    private static void authz(Path directory, Table table) {
        try (var child = Child.java("authz", directory, List.of("-Xmx512m", "-XX:+UseSerialGC"), AuthzMain.class)) {
            var result = child.answer();
            var decisions = result.path("decisions").asDouble();
            var lookups = result.path("lookups").asDouble();
            var cost = decisions / result.path("explanations").asDouble();
            table.add(new Table.Row(
                    "authorization decision in process, one core",
                    Table.number(decisions) + "/s",
                    "one HashMap lookup by UUID " + Table.number(lookups) + "/s",
                    Table.number(decisions / lookups),
                    "≥ 1,000,000/s",
                    Table.met(decisions >= 1_000_000),
                    "1,000,000 bindings over 10,000 tenants in "
                            + result.path("heap_mib").asInt()
                            + " MiB; half allowed, a quarter without the action, a quarter not bound"));
            table.add(new Table.Row(
                    "its explanation, as cost of a decision",
                    Table.number(result.path("explanations").asDouble()) + "/s",
                    "the decision " + Table.number(decisions) + "/s",
                    Table.number(cost) + " ×",
                    "≤ 3 ×",
                    Table.met(cost <= 3),
                    ""));
        }
    }

    private static void policy(Path directory, Table table) {
        try (var child = Child.java("policy", directory, List.of("-Xmx256m", "-XX:+UseSerialGC"), PolicyMain.class)) {
            var result = child.answer();
            var microseconds = 1e6 / result.path("policies").asDouble();
            var intersections = 1e6 / result.path("intersections").asDouble();
            table.add(new Table.Row(
                    "effective policy of five levels in process",
                    Table.number(microseconds) + " µs",
                    "one list of it intersected by hand " + Table.number(intersections) + " µs",
                    Table.number(microseconds / intersections) + " ×",
                    "≤ 20 µs",
                    Table.met(microseconds <= 20),
                    result.path("keys").asInt() + " keys, each said at every level; with its version"));
        }
    }

    private static Set<String> chosen(String[] arguments) {
        var asked = arguments.length == 0 ? "" : arguments[0];
        var rows = asked.isBlank() ? new TreeSet<>(ROWS) : new TreeSet<>(Arrays.asList(asked.split(",")));
        if (!ROWS.containsAll(rows)) {
            throw new IllegalArgumentException("rows are some of " + String.join(",", ROWS) + ", not " + asked);
        }
        return rows;
    }
}
