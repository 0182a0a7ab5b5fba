package dev.slipway.benchmarks;

import dev.slipway.benchmarks.BenchEnvironment.RunningPlatform;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;

/**
 * Measures the monthly usage report of a project with 50 million facts against one with a million. The facts and their sums are inserted
 * directly, as the ingest would have done; reading them is what is measured.
 */
final class UsageReportBenchmark {
    private static final int MANY = 50_000_000 / 100 * Integer.getInteger("bench.scale", 100);
    private static final int FEW = MANY / 50;
    private static final int SLICE = 1_000_000;
    private static final int RESOURCES = 100;
    private static final int ROUNDS = 200;
    private static final int WARMING_ROUNDS = 100;
    private static final double BAR = 2;

    /** The same windows, resources and quantities as those of reported facts, in their order over the current month until now. */
    private static final String INSERT_FACTS = """
            INSERT INTO metering.usage_facts (source, fact_id, unit, unit_version, quantity, window_start, window_end, org_id, project_id,
                resource_type, resource_id, period, body_hash)
            SELECT '%1$s/report', 'fact-' || i, 'token', 1, i %% 1000, at, at + interval '1 second', '%2$s', '%1$s',
                'model', 'model-' || i %% %3$d, date_trunc('month', now())::date, sha256(i::text::bytea)
            FROM (SELECT i, date_trunc('month', now()) + (now() - interval '2 second' - date_trunc('month', now())) * (i / %6$d.0) AS at
                FROM generate_series(%4$d::bigint, %5$d::bigint) AS i) f
            """;

    private static final String INSERT_DIMENSIONS = """
            INSERT INTO metering.usage_dimensions
            SELECT DISTINCT ON (dimension) dimension, source, org_id, project_id, app_instance_id, shared_runtime_id, attachment_id,
                source_project_id, app_slug, operating_mode, control_plane_scope, runtime_backend, resource_type, resource_id, actor
            FROM metering.usage_facts WHERE org_id = '%s' ON CONFLICT DO NOTHING
            """;
    private static final String INSERT_HOURS = """
            INSERT INTO metering.usage_hours (org_id, hour, dimension, unit, unit_version, period, quantity, facts)
            SELECT org_id, date_trunc('hour', window_end - interval '1 microsecond', 'UTC'), dimension, unit, unit_version, period,
                sum(quantity), count(*)
            FROM metering.usage_facts WHERE org_id = '%s' GROUP BY 1, 2, 3, 4, 5, 6
            """;
    private static final String INSERT_MONTHS = """
            INSERT INTO metering.usage_months (org_id, month, dimension, unit, unit_version, period, quantity, facts)
            SELECT org_id, date_trunc('month', hour AT TIME ZONE 'UTC')::date, dimension, unit, unit_version, period, sum(quantity), sum(facts)
            FROM metering.usage_hours WHERE org_id = '%s' GROUP BY 1, 2, 3, 4, 5, 6
            """;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;
    private final HttpClient http = HttpClient.newHttpClient();

    UsageReportBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var platform = benchEnvironment.platform(HttpBenchmark.ALL)) {
            benchEnvironment.awaitTenants();
            // Two projects of different organizations.
            insert(0, MANY);
            insert(1, FEW);
            benchEnvironment.database().execute("ANALYZE");
            add(platform, "monthly usage report by resource, p99", "month");
            add(platform, "usage of the month by day and resource, p99", "day");
        }
    }

    private void insert(int project, int facts) {
        var database = benchEnvironment.database();
        var projectId = BenchSeeds.project(project);
        var orgId = database.texts("SELECT org_id FROM iam.projects WHERE id = '" + projectId + "'")
                .get(0);
        var started = System.nanoTime();
        database.execute("SET synchronous_commit = off; SET timezone = 'UTC'");
        for (var first = 0; first < facts; first += SLICE) {
            var last = Math.min(facts, first + SLICE) - 1;
            database.execute(INSERT_FACTS.formatted(projectId, orgId, RESOURCES, first, last, facts));
        }
        database.execute(INSERT_DIMENSIONS.formatted(orgId));
        database.execute(INSERT_HOURS.formatted(orgId));
        database.execute(INSERT_MONTHS.formatted(orgId));
        BenchOutput.note(ResultTable.number(facts) + " facts inserted in "
                + ResultTable.number((System.nanoTime() - started) / 1e9) + " s");
    }

    private void add(RunningPlatform platform, String row, String bucket) {
        var few = new double[ROUNDS];
        var many = new double[ROUNDS];
        for (var round = -WARMING_ROUNDS; round < ROUNDS; round++) {
            var index = Math.max(0, round);
            many[index] = readMs(platform, 0, bucket);
            few[index] = readMs(platform, 1, bucket);
        }
        Arrays.sort(few);
        Arrays.sort(many);
        var ratio = p99(many) / p99(few);
        resultTable.add(new ResultTable.Row(
                row,
                ResultTable.number(p99(many)) + " ms over " + ResultTable.number(MANY) + " facts",
                "over " + ResultTable.number(FEW) + " facts " + ResultTable.number(p99(few)) + " ms",
                ResultTable.number(ratio) + " ×",
                "≤ 2 ×",
                ResultTable.isMet(ratio <= BAR),
                "the requests alternate; half of them within " + ResultTable.number(many[ROUNDS / 2]) + " and "
                        + ResultTable.number(few[ROUNDS / 2]) + " ms"));
    }

    private static double p99(double[] sorted) {
        return sorted[sorted.length * 99 / 100];
    }

    private double readMs(RunningPlatform platform, int project, String bucket) {
        var path = "/api/v1/projects/" + BenchSeeds.project(project) + "/usage/lines?bucket=" + bucket
                + "&group_by=resource_id&limit=500";
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + platform.port() + path))
                .header("authorization", "Bearer " + platform.tokenFor(project))
                .build();
        var started = System.nanoTime();
        try {
            var response = http.send(request, BodyHandlers.ofByteArray());
            var lines = Json.parseTrusted(response.body()).path("items");
            if (response.statusCode() != 200 || lines.size() < RESOURCES) {
                throw new IllegalStateException(path + ": " + response.statusCode() + ", " + lines.size() + " lines");
            }
            return (System.nanoTime() - started) / 1e6;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
