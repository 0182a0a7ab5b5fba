package dev.slipway.benchmarks;

import dev.slipway.benchmarks.PlatformComparison.Setup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Measures pages, searches and registry lookups in a large catalog, compared with a small one. */
final class CatalogBenchmark {
    private static final int FEW = 100;
    private static final int MANY = 10_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int VERSIONS = 20;
    private static final double LOOKUP_BAR_MS = 50;

    /**
     * Inserts apps shaped like those created through the API: ten categories, a word in every tenth name, so that a page of ten is
     * full with few and with many apps, and a word that only the older half has.
     */
    private static final String GROW = """
            INSERT INTO catalog.app_catalog (id, slug, display_name, category, publisher, product_id, status, published, created_at,
                updated_at)
            SELECT gen_random_uuid(), 'bench-' || n, 'Bench app, the ' || n || 'th' || CASE n %% 10 WHEN 0 THEN ' tenth' ELSE '' END
                       || CASE WHEN n * 2 > %1$d THEN ' older%1$d' ELSE '' END,
                   'category-' || n %% 10, 'Bench', 'apps', 'active', true, now() - n * interval '1 second', now()
            FROM generate_series(1, %1$d) n;
            INSERT INTO catalog.app_versions (id, app_id, version, runtime_backend, manifest, manifest_digest, status, created_at,
                updated_at, published_at)
            SELECT gen_random_uuid(), a.id, v || '.0.0', 'k8s', jsonb_build_object('app', a.slug, 'version', v || '.0.0'),
                   'sha256:' || repeat('0', 64), 'active', now() - v * interval '1 second', now(), now()
            FROM catalog.app_catalog a, generate_series(1, %2$d) v
            WHERE a.slug LIKE 'bench-%%' AND NOT EXISTS (SELECT FROM catalog.app_versions o WHERE o.app_id = a.id)
            """;
    /** Analyzes the tables now; autovacuum would do it a minute later, during a pass. */
    private static final List<String> SETTLE =
            List.of("VACUUM (ANALYZE) catalog.app_catalog", "VACUUM (ANALYZE) catalog.app_versions", "CHECKPOINT");

    private final BenchEnvironment small;
    private final BenchEnvironment large;
    private final ResultTable resultTable;

    CatalogBenchmark(BenchEnvironment small, BenchEnvironment large, ResultTable resultTable) {
        this.small = small;
        this.large = large;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var few = startSetup(small, FEW);
                var many = startSetup(large, MANY)) {
            compare(few, many, "a page", setup -> "");
            compare(few, many, "a page of a category", setup -> "&category=category-7");
            compare(few, many, "search, all match", setup -> "&q=bench");
            compare(few, many, "search, a tenth match", setup -> "&q=tenth");
            compare(few, many, "search, the older half matches", setup -> "&q=older" + setup.rows());
            compare(few, many, "search, one matches", setup -> "&q=77th");
            lookup(many);
        }
    }

    private void compare(Setup few, Setup many, String what, Function<Setup, String> question) {
        new PlatformComparison(resultTable)
                .compare(
                        "catalog: " + what,
                        few,
                        requests(few, "apps/catalog?limit=10" + question.apply(few)),
                        many,
                        requests(many, "apps/catalog?limit=10" + question.apply(many)),
                        "the tenants' owners in turn");
    }

    private void lookup(Setup setup) {
        var requests = requests(setup, "registries/artifact_type/app_bundle");
        setup.warmUp(requests);
        var passes = new double[PlatformComparison.PASSES];
        for (var pass = 0; pass < passes.length; pass++) {
            passes[pass] = setup.p99(requests);
        }
        var lookup = ResultTable.median(passes);
        resultTable.add(new ResultTable.Row(
                "registries: an entry, p99",
                ResultTable.number(lookup) + " ms",
                "",
                "",
                "≤ " + ResultTable.number(LOOKUP_BAR_MS) + " ms",
                ResultTable.isMet(lookup <= LOOKUP_BAR_MS),
                "as many"));
    }

    private static Setup startSetup(BenchEnvironment benchEnvironment, int apps) {
        var platform = benchEnvironment.platform(HttpBenchmark.ALL);
        benchEnvironment.database().execute(GROW.formatted(apps, VERSIONS));
        SETTLE.forEach(benchEnvironment.database()::execute);
        return new Setup(benchEnvironment, platform, apps, apps + " apps × " + VERSIONS);
    }

    private static Path requests(Setup setup, String question) {
        List<String> lines = new ArrayList<>();
        for (var token : setup.platform().tokens()) {
            lines.add("GET\t/api/v1/" + question + "\t" + token + "\t");
        }
        return setup.requests("catalog", lines);
    }
}
