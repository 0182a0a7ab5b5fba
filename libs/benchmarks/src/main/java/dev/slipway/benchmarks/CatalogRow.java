package dev.slipway.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reading the catalog when it is large, beside the same when it is small: a page of apps, and searches for the common and the rare; and
 * looking up an entry of a registry.
 */
final class CatalogRow {
    private static final int FEW = 100;
    private static final int MANY = 10_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int VERSIONS = 20;
    private static final int PASSES = 5;
    private static final int RATE = 100;
    private static final double SECONDS = 3;
    private static final double BAR = 2;
    private static final double LOOKUP_BAR_MS = 50;

    /**
     * Of the same shape as what comes by the API; ten categories, and a word in every tenth name, so that a page of ten is as full with
     * few apps as with many; and a word that all of the older half have and none of the newer.
     */
    private static final String GROW = """
            INSERT INTO catalog.app_catalog (id, slug, display_name, category, publisher, product_id, status, published, created_at,
                updated_at)
            SELECT gen_random_uuid(), 'bench-' || n, 'Bench app, the ' || n || 'th' || CASE n %% 10 WHEN 0 THEN ' tenth' ELSE '' END
                       || CASE WHEN n * 2 > %2$d THEN ' older%2$d' ELSE '' END,
                   'category-' || n %% 10, 'Bench', 'apps', 'active', true, now() - n * interval '1 second', now()
            FROM generate_series(%1$d, %2$d) n;
            INSERT INTO catalog.app_versions (id, app_id, version, runtime_backend, manifest, manifest_digest, status, created_at,
                updated_at, published_at)
            SELECT gen_random_uuid(), a.id, v || '.0.0', 'k8s', jsonb_build_object('app', a.slug, 'version', v || '.0.0'),
                   'sha256:' || repeat('0', 64), 'active', now() - v * interval '1 second', now(), now()
            FROM catalog.app_catalog a, generate_series(1, %3$d) v
            WHERE a.slug LIKE 'bench-%%' AND NOT EXISTS (SELECT FROM catalog.app_versions o WHERE o.app_id = a.id)
            """;
    /** What the database would do by itself a minute later, in the middle of a pass. */
    private static final List<String> SETTLE =
            List.of("VACUUM (ANALYZE) catalog.app_catalog", "VACUUM (ANALYZE) catalog.app_versions", "CHECKPOINT");

    private final Stage stage;
    private final Table table;

    CatalogRow(Stage stage, Table table) {
        this.stage = stage;
        this.table = table;
    }

    void measure() {
        try (var platform = stage.platform(HttpRows.ALL)) {
            var few = p99s(platform, 1, FEW);
            var many = p99s(platform, FEW + 1, MANY);
            many.forEach((what, ms) -> {
                var before = few.getOrDefault(what, Double.NaN);
                table.add(new Table.Row(
                        "catalog: " + what + ", p99",
                        Table.number(ms) + " ms with " + MANY + " apps × " + VERSIONS,
                        Table.number(before) + " ms with " + FEW + " apps × " + VERSIONS,
                        Table.number(ms / before),
                        "≤ " + BAR + " ×",
                        Table.met(ms / before <= BAR),
                        RATE + " requests a second; the tenants' owners in turn"));
            });
            var lookup = p99(platform, "registries/artifact_type/app_bundle");
            table.add(new Table.Row(
                    "registries: an entry, p99",
                    Table.number(lookup) + " ms",
                    "",
                    "",
                    "≤ " + Table.number(LOOKUP_BAR_MS) + " ms",
                    Table.met(lookup <= LOOKUP_BAR_MS),
                    "as many"));
        }
    }

    /** After the apps with these numbers were added. */
    private Map<String, Double> p99s(Stage.Running platform, int first, int last) {
        stage.database().execute(GROW.formatted(first, last, VERSIONS));
        SETTLE.forEach(stage.database()::execute);
        var questions = new TreeMap<>(Map.of(
                "a page", "",
                "a page of a category", "&category=category-7",
                "search, all match", "&q=bench",
                "search, a tenth match", "&q=tenth",
                "search, the older half matches", "&q=older" + last,
                "search, one matches", "&q=77th"));
        var found = new TreeMap<String, Double>();
        questions.forEach((what, query) -> found.put(what, p99(platform, "apps/catalog?limit=10" + query)));
        return found;
    }

    private double p99(Stage.Running platform, String question) {
        var requests = requests(platform, question);
        stage.warmUntilCompiled(platform.process(), platform.port(), requests, RATE * 10);
        var passes = new double[PASSES];
        for (var i = 0; i < PASSES; i++) {
            passes[i] = stage.load(platform.port(), requests, (int) (RATE * SECONDS), SECONDS, RATE)
                            .path("p99_us")
                            .asDouble()
                    / 1_000;
        }
        return Table.median(passes);
    }

    private Path requests(Stage.Running platform, String question) {
        List<String> lines = new ArrayList<>();
        for (var token : platform.tokens()) {
            lines.add("GET\t/api/v1/" + question + "\t" + token + "\t");
        }
        return stage.requests("catalog", lines);
    }
}
