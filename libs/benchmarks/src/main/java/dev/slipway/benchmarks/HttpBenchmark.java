package dev.slipway.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Measures reads and writes through the platform, compared with the same statements behind a bare route. */
final class HttpBenchmark {
    static final String ALL = "iam,catalog,instances,audit,metering,gateway";
    /** The services on the path of a request; other consumers of its events run in another process. */
    static final String PATH = "iam,instances,gateway";

    private static final int GETS = scaled(20_000);
    private static final int POSTS = scaled(3_000);
    private static final int PASSES = 5;
    private static final double MAX_SECONDS = 15;
    private static final double MAX_WARM_SECONDS = 90;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;

    HttpBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
    }

    void measure(boolean gets, boolean posts) {
        try (var all = benchEnvironment.platform(ALL)) {
            launchEverywhere(all);
            benchEnvironment.database().createBaselineTables();
            measure(all, ALL, gets, posts, false);
        }
        try (var path = benchEnvironment.platform(PATH)) {
            measure(path, PATH, gets, posts, true);
            authorization(path);
        }
    }

    /** The duration from token to decision, as measured by the service in the last minutes. */
    private void authorization(BenchEnvironment.RunningPlatform platform) {
        var p99Ms =
                1_000 * platform.metric("slipway_authorization_seconds", "service=\"instances\"", "quantile=\"0.99\"");
        var p50Ms =
                1_000 * platform.metric("slipway_authorization_seconds", "service=\"instances\"", "quantile=\"0.5\"");
        resultTable.add(new ResultTable.Row(
                "authorization step of a request, p99",
                ResultTable.number(p99Ms * 1_000) + " µs",
                "",
                "",
                "≤ 1 ms",
                ResultTable.isMet(p99Ms <= 1),
                "under the load of the rows above; half of them within " + ResultTable.number(p50Ms * 1_000) + " µs"));
    }

    /** Only the request path has a required ratio: the baseline does not consume its outbox either. */
    private void measure(
            BenchEnvironment.RunningPlatform platform, String services, boolean gets, boolean posts, boolean bars) {
        try (var baseline = benchEnvironment.baseline(TopicReader.sizes(benchEnvironment.kafkaBootstrap()))) {
            var port = baseline.readReply().path("port").asInt();
            if (gets) {
                compare("GET one instance", reads(platform), platform, services, baseline, port, GETS, bars ? 0.75 : 0);
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
     * Alternates passes of both sides, so that other load affects both, and waits for idle between them. Requests per second depend on
     * the load of the machine; the processor time per request, including all work that follows it, depends on it far less.
     */
    private void compare(
            String what,
            Path requests,
            BenchEnvironment.RunningPlatform platform,
            String services,
            MeasuredProcess baseline,
            int baselinePort,
            int count,
            double bar) {
        benchEnvironment.warmUpUntilCompiled(baseline, baselinePort, requests, count);
        benchEnvironment.warmUpUntilCompiled(platform.process(), platform.port(), requests, count);
        var theirs = new MeasuredRun[PASSES];
        var ours = new MeasuredRun[PASSES];
        for (var i = 0; i < PASSES; i++) {
            benchEnvironment.database().truncateBaselineOutbox();
            benchEnvironment.awaitIdle(services);
            theirs[i] = pass(baselinePort, requests, count, services, baseline);
            ours[i] = pass(platform.port(), requests, count, services, platform.process());
            BenchOutput.note(what + ", pass " + (i + 1) + ": " + ours[i] + " / " + theirs[i]);
        }
        var ratio = median(i -> ours[i].perSecond / theirs[i].perSecond);
        var cpuRatio = median(i -> theirs[i].cpuUs / ours[i].cpuUs);
        resultTable.add(new ResultTable.Row(
                what + " (" + services.replace(",", ", ") + ")",
                ResultTable.number(median(i -> ours[i].perSecond)) + "/s; "
                        + ResultTable.number(median(i -> ours[i].cpuUs)) + " µs CPU",
                ResultTable.number(median(i -> theirs[i].perSecond)) + "/s; "
                        + ResultTable.number(median(i -> theirs[i].cpuUs)) + " µs CPU",
                ResultTable.number(ratio) + " by time; " + ResultTable.number(cpuRatio) + " by CPU",
                bar == 0 ? "" : "≥ " + bar,
                bar == 0 ? "" : ResultTable.isMet(ratio >= bar),
                "server alone " + ResultTable.number(median(i -> ours[i].serverCpuUs)) + " / "
                        + ResultTable.number(median(i -> theirs[i].serverCpuUs)) + " µs; Kafka "
                        + ResultTable.number(median(i -> ours[i].brokerCpuUs)) + " / "
                        + ResultTable.number(median(i -> theirs[i].brokerCpuUs)) + " µs; PostgreSQL "
                        + ResultTable.number(median(i -> ours[i].databaseCpuUs)) + " / "
                        + ResultTable.number(median(i -> theirs[i].databaseCpuUs)) + " µs; p99 "
                        + ResultTable.number(median(i -> ours[i].p99Ms)) + " ms; topics applied "
                        + ResultTable.number(median(i -> ours[i].settledSeconds)) + " s later"));
    }

    private record MeasuredRun(
            double perSecond,
            double cpuUs,
            double serverCpuUs,
            double brokerCpuUs,
            double databaseCpuUs,
            double p99Ms,
            double settledSeconds) {
        @Override
        public String toString() {
            return ResultTable.number(perSecond) + "/s " + ResultTable.number(cpuUs) + " µs (server "
                    + ResultTable.number(serverCpuUs) + ", Kafka " + ResultTable.number(brokerCpuUs) + ", PostgreSQL "
                    + ResultTable.number(databaseCpuUs) + " µs)";
        }
    }

    private MeasuredRun pass(int port, Path requests, int count, String services, MeasuredProcess server) {
        var before = benchEnvironment.cpuSeconds();
        var serverBefore = server.cpuSeconds();
        var brokerBefore = benchEnvironment.brokerCpuSeconds();
        var databaseBefore = benchEnvironment.databaseCpuSeconds();
        var result = benchEnvironment.load(port, requests, count, MAX_SECONDS, 0);
        var settled = benchEnvironment.awaitIdle(services);
        var completed = result.path("completed").asDouble();
        var serverCpu = server.cpuSeconds() - serverBefore;
        return new MeasuredRun(
                result.path("per_second").asDouble(),
                (benchEnvironment.cpuSeconds() - before + serverCpu) * 1e6 / completed,
                serverCpu * 1e6 / completed,
                (benchEnvironment.brokerCpuSeconds() - brokerBefore) * 1e6 / completed,
                (benchEnvironment.databaseCpuSeconds() - databaseBefore) * 1e6 / completed,
                result.path("p99_us").asDouble() / 1_000,
                settled);
    }

    private static double median(IntToDoubleFunction value) {
        return ResultTable.median(IntStream.range(0, PASSES).mapToDouble(value).toArray());
    }

    /** Launches one instance per project. */
    private void launchEverywhere(BenchEnvironment.RunningPlatform platform) {
        benchEnvironment.awaitTenants();
        benchEnvironment.warmUp(platform.port(), writes(platform), BenchSeeds.PROJECTS, MAX_WARM_SECONDS, 0);
    }

    /** Scales the number of requests: -Pscale=25 sends a quarter of them. */
    private static int scaled(int count) {
        return count * Integer.getInteger("bench.scale", 100) / 100;
    }

    private Path writes(BenchEnvironment.RunningPlatform platform) {
        return benchEnvironment.requests(
                "writes",
                lines(i -> "POST\t/api/v1/projects/" + BenchSeeds.project(i) + "/app-instances\t" + platform.tokenFor(i)
                        + "\t" + BenchSeeds.launch()));
    }

    private Path reads(BenchEnvironment.RunningPlatform platform) {
        var instances = benchEnvironment
                .database()
                .texts("SELECT DISTINCT ON (project_id) project_id || '/app-instances/' || id FROM"
                        + " instances.app_instances ORDER BY project_id");
        var lines = new ArrayList<String>();
        for (var path : instances) {
            var number = Integer.parseInt(path.substring(32, 36), 16);
            lines.add("GET\t/api/v1/projects/" + path + "\t" + platform.tokenFor(number) + "\t");
        }
        return benchEnvironment.requests("reads", lines);
    }

    static List<String> lines(IntFunction<String> line) {
        return IntStream.range(0, BenchSeeds.PROJECTS).mapToObj(line).toList();
    }
}
