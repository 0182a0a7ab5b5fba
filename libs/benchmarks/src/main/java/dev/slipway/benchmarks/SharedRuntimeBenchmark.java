package dev.slipway.benchmarks;

import dev.slipway.benchmarks.PlatformComparison.Setup;

import java.util.List;

/** Measures the owner's list and the consumer's views of shared runtimes in an organization with many of them, compared with a few. */
final class SharedRuntimeBenchmark {
    private static final int FEW = 10;
    private static final int MANY = 1_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int ATTACHMENTS = 10;
    private static final int WORKERS = 20;

    /** All runtimes belong to one organization, and the same ten of its projects are attached to each, so that pages of ten are full. */
    private static final String GROW = """
            INSERT INTO instances.shared_runtimes (id, resource_name, org_id, environment, app_id, app_version_id, display_name, status,
                requested_by_user_id, requested_by_principal_id, operator_id, placement_intent, config, contribution_policy,
                submission_policy, runtime_state, generation, sequence, delete_seconds, reap, created_at, updated_at)
            SELECT r.id, 'slipway:bench:' || r.id, '%1$s', 'e-' || r.n, '%2$s', '%3$s', 'Runtime ' || r.n, 'running', '%4$s', '%4$s', r.id, '{}',
                '{}', '{"allowed": true, "max_workers": 5}', '{"allowed": true, "operations": ["work.submit"]}',
                '{"endpoints": [{"name": "http", "url": "http://127.0.0.1:1"}]}', 1, 1, 60, false, now() - r.n * interval '1 second', now()
            FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, %5$d) n) AS r;
            INSERT INTO instances.shared_runtime_attachments (id, shared_runtime_id, org_id, project_id, status, app_policy, revision,
                created_at, updated_at)
            SELECT gen_random_uuid(), r.id, r.org_id, p.id, 'attached', '{}', 1, r.created_at, r.created_at
            FROM instances.shared_runtimes r,
                (SELECT id FROM instances.projects WHERE org_id = '%1$s' ORDER BY id LIMIT %6$d) AS p;
            INSERT INTO instances.shared_runtime_workers (id, shared_runtime_id, org_id, component, source, source_project_id, attachment_id,
                generation, desired_state, observed_state, adapter_detail, labels, cordoned, created_at, updated_at)
            SELECT gen_random_uuid(), a.shared_runtime_id, a.org_id, 'worker', 'project', a.project_id, a.id, 1, 'ready', 'ready', '{}', '{}',
                false, a.created_at, a.created_at
            FROM instances.shared_runtime_attachments a, generate_series(1, %7$d) n
            """;

    private static final List<String> SETTLE = List.of(
            "VACUUM (ANALYZE) instances.shared_runtimes",
            "VACUUM (ANALYZE) instances.shared_runtime_attachments",
            "VACUUM (ANALYZE) instances.shared_runtime_workers",
            "CHECKPOINT");

    private final BenchEnvironment small;
    private final BenchEnvironment large;
    private final ResultTable resultTable;

    SharedRuntimeBenchmark(BenchEnvironment small, BenchEnvironment large, ResultTable resultTable) {
        this.small = small;
        this.large = large;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var few = startSetup(small, FEW);
                var many = startSetup(large, MANY)) {
            var organization = BenchSeeds.organization(0);
            compare(few, many, "the owner's list", "orgs/" + organization + "/shared-app-runtimes?limit=10");
            var list = "projects/" + BenchSeeds.project(0) + "/shared-app-runtimes";
            compare(few, many, "the consumer's list", list + "?limit=10");
            compareOne(few, many, list);
        }
    }

    private void compare(Setup few, Setup many, String what, String path) {
        compare(few, path, many, path, what);
    }

    /** Reads the newest runtime of each platform. */
    private void compareOne(Setup few, Setup many, String list) {
        compare(few, list + "/" + newest(few), many, list + "/" + newest(many), "the consumer's view of one");
    }

    private void compare(Setup few, String ofFew, Setup many, String ofMany, String what) {
        new PlatformComparison(resultTable)
                .compare(
                        "shared runtimes: " + what,
                        few,
                        few.requests("runtimes", List.of(line(few, ofFew))),
                        many,
                        many.requests("runtimes", List.of(line(many, ofMany))),
                        "by the owner of the tenant");
    }

    private static String line(Setup setup, String path) {
        return "GET\t/api/v1/" + path + "\t" + setup.platform().tokens().get(0) + "\t";
    }

    private static String newest(Setup setup) {
        return setup.environment()
                .database()
                .texts("SELECT id FROM instances.shared_runtimes ORDER BY created_at DESC LIMIT 1")
                .get(0);
    }

    private static Setup startSetup(BenchEnvironment benchEnvironment, int runtimes) {
        var platform = benchEnvironment.platform(HttpBenchmark.ALL);
        benchEnvironment
                .database()
                .execute(GROW.formatted(
                        BenchSeeds.organization(0),
                        BenchSeeds.APP,
                        BenchSeeds.VERSION,
                        BenchSeeds.owner(0),
                        runtimes,
                        ATTACHMENTS,
                        WORKERS / ATTACHMENTS));
        SETTLE.forEach(benchEnvironment.database()::execute);
        return new Setup(
                benchEnvironment,
                platform,
                runtimes,
                runtimes + " runtimes × " + ATTACHMENTS + " attachments and " + WORKERS + " workers");
    }
}
