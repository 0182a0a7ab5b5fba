package dev.slipway.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Reads and writes through everything, beside the same statements behind a bare route. */
final class HttpRows {
    static final String ALL = "iam,catalog,instances,audit,metering,gateway";
    /** What a request passes through; whoever else consumes its events and call records does so in another process. */
    private static final String PATH = "iam,instances,gateway";

    private static final int GETS = scaled(20_000);
    private static final int POSTS = scaled(3_000);
    private static final int PASSES = 5;
    private static final double MAX_SECONDS = 15;
    private static final double MAX_WARM_SECONDS = 90;

    private final Stage stage;
    private final Table table;

    HttpRows(Stage stage, Table table) {
        this.stage = stage;
        this.table = table;
    }

    void measure(boolean gets, boolean posts) {
        try (var all = stage.platform(ALL)) {
            launchEverywhere(all);
            stage.database().makeBaseline();
            measure(all, ALL, gets, posts, false);
        }
        try (var path = stage.platform(PATH)) {
            measure(path, PATH, gets, posts, true);
            authorization(path);
        }
    }

    /** As the service itself has timed it in the requests of the last minutes, from the token to the decision. */
    private void authorization(Stage.Running platform) {
        var p99Ms =
                1_000 * platform.metric("slipway_authorization_seconds", "service=\"instances\"", "quantile=\"0.99\"");
        var p50Ms =
                1_000 * platform.metric("slipway_authorization_seconds", "service=\"instances\"", "quantile=\"0.5\"");
        table.add(new Table.Row(
                "authorization step of a request, p99",
                Table.number(p99Ms * 1_000) + " µs",
                "",
                "",
                "≤ 1 ms",
                Table.met(p99Ms <= 1),
                "under the load of the rows above; half of them within " + Table.number(p50Ms * 1_000) + " µs"));
    }

    /** The bars are on the path of the request: the baseline does not consume what it writes to its outbox either. */
    private void measure(Stage.Running platform, String services, boolean gets, boolean posts, boolean bars) {
        try (var baseline = stage.baseline(Topic.sizes(stage.kafkaBootstrap()))) {
            var port = baseline.answer().path("port").asInt();
            if (gets) {
                compare("GET one instance", reads(platform), platform, services, baseline, port, GETS, bars ? 0.6 : 0);
            }
            if (posts) {
                compare(
                        "POST an instance",
                        writes(platform),
                        platform,
                        services,
                        baseline,
                        port,
                        POSTS,
                        bars ? 0.7 : 0);
            }
        }
    }

    /**
     * Passes take turns, so that what else the machine does hits both alike; between them everything settles. Requests per second
     * follow the machine's mood; the processor time that a request costs in all processes together, what follows it included, does so
     * far less, and on a machine of which everything shares the processors the one is the inverse of the other.
     */
    private void compare(
            String what,
            Path requests,
            Stage.Running platform,
            String services,
            Child baseline,
            int baselinePort,
            int count,
            double bar) {
        stage.warmUntilCompiled(baseline, baselinePort, requests, count);
        stage.warmUntilCompiled(platform.process(), platform.port(), requests, count);
        var theirs = new Pass[PASSES];
        var ours = new Pass[PASSES];
        for (var i = 0; i < PASSES; i++) {
            stage.database().emptyBaselineOutbox();
            stage.settle(services);
            theirs[i] = pass(baselinePort, requests, count, services, baseline);
            ours[i] = pass(platform.port(), requests, count, services, platform.process());
            Console.note(what + ", pass " + (i + 1) + ": " + ours[i] + " / " + theirs[i]);
        }
        var ratio = median(i -> ours[i].perSecond / theirs[i].perSecond);
        var cpuRatio = median(i -> theirs[i].cpuUs / ours[i].cpuUs);
        table.add(new Table.Row(
                what + " (" + services.replace(",", ", ") + ")",
                Table.number(median(i -> ours[i].perSecond)) + "/s; " + Table.number(median(i -> ours[i].cpuUs))
                        + " µs CPU",
                Table.number(median(i -> theirs[i].perSecond)) + "/s; " + Table.number(median(i -> theirs[i].cpuUs))
                        + " µs CPU",
                Table.number(ratio) + " by time; " + Table.number(cpuRatio) + " by CPU",
                bar == 0 ? "" : "≥ " + bar,
                bar == 0 ? "" : Table.met(ratio >= bar),
                "server alone " + Table.number(median(i -> ours[i].serverCpuUs)) + " / "
                        + Table.number(median(i -> theirs[i].serverCpuUs)) + " µs; p99 "
                        + Table.number(median(i -> ours[i].p99Ms)) + " ms; topics applied "
                        + Table.number(median(i -> ours[i].settledSeconds)) + " s later"));
    }

    private record Pass(double perSecond, double cpuUs, double serverCpuUs, double p99Ms, double settledSeconds) {
        @Override
        public String toString() {
            return Table.number(perSecond) + "/s " + Table.number(cpuUs) + " µs (server " + Table.number(serverCpuUs)
                    + " µs)";
        }
    }

    private Pass pass(int port, Path requests, int count, String services, Child server) {
        var before = stage.cpuSeconds();
        var serverBefore = server.cpuSeconds();
        var result = stage.load(port, requests, count, MAX_SECONDS, 0);
        var settled = stage.settle(services);
        var completed = result.path("completed").asDouble();
        var serverCpu = server.cpuSeconds() - serverBefore;
        return new Pass(
                result.path("per_second").asDouble(),
                (stage.cpuSeconds() - before + serverCpu) * 1e6 / completed,
                serverCpu * 1e6 / completed,
                result.path("p99_us").asDouble() / 1_000,
                settled);
    }

    private static double median(IntToDoubleFunction value) {
        return Table.median(IntStream.range(0, PASSES).mapToDouble(value).toArray());
    }

    /** One instance per project. */
    private void launchEverywhere(Stage.Running platform) {
        stage.awaitTenants();
        stage.warm(platform.port(), writes(platform), Seeds.PROJECTS, MAX_WARM_SECONDS, 0);
    }

    /** A quick look takes less: -Pscale=25 is a quarter of the requests. */
    private static int scaled(int count) {
        return count * Integer.getInteger("bench.scale", 100) / 100;
    }

    private Path writes(Stage.Running platform) {
        return stage.requests(
                "writes",
                lines(i -> "POST\t/api/v1/projects/" + Seeds.project(i) + "/app-instances\t" + platform.tokenFor(i)
                        + "\t" + Seeds.launch()));
    }

    private Path reads(Stage.Running platform) {
        var instances = stage.database()
                .texts("SELECT DISTINCT ON (project_id) project_id || '/app-instances/' || id FROM"
                        + " instances.app_instances ORDER BY project_id");
        var lines = new ArrayList<String>();
        for (var path : instances) {
            var number = Integer.parseInt(path.substring(32, 36), 16);
            lines.add("GET\t/api/v1/projects/" + path + "\t" + platform.tokenFor(number) + "\t");
        }
        return stage.requests("reads", lines);
    }

    static List<String> lines(IntFunction<String> line) {
        return IntStream.range(0, Seeds.PROJECTS).mapToObj(line).toList();
    }
}
