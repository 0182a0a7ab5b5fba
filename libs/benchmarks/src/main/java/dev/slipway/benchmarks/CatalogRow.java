package dev.slipway.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reading the catalog when it is large, beside the same when it is small: a page of apps, and searches for the common and the rare; and
 * looking up an entry of a registry.
 */
final class CatalogRow {
    private static final int FEW = 100;
    private static final int MANY = 10_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int VERSIONS = 20;
    private static final int PASSES = 7;
    private static final int RATE = 100;
    private static final double SECONDS = 5;
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
    /** What the database would do by itself a minute later, in the middle of a pass. */
    private static final List<String> SETTLE =
            List.of("VACUUM (ANALYZE) catalog.app_catalog", "VACUUM (ANALYZE) catalog.app_versions", "CHECKPOINT");

    /** A platform with so many apps. */
    private record Side(Stage stage, Stage.Running platform, int apps) implements AutoCloseable {
        @Override
        public void close() {
            platform.close();
        }

        String size() {
            return apps + " apps × " + VERSIONS;
        }
    }

    private final Stage small;
    private final Stage large;
    private final Table table;

    CatalogRow(Stage small, Stage large, Table table) {
        this.small = small;
        this.large = large;
        this.table = table;
    }

    /** Both platforms run, and are asked by turns: what disturbs the machine for a while disturbs both. */
    void measure() {
        try (var few = side(small, FEW);
                var many = side(large, MANY)) {
            compare(few, many, "a page", side -> "");
            compare(few, many, "a page of a category", side -> "&category=category-7");
            compare(few, many, "search, all match", side -> "&q=bench");
            compare(few, many, "search, a tenth match", side -> "&q=tenth");
            compare(few, many, "search, the older half matches", side -> "&q=older" + side.apps);
            compare(few, many, "search, one matches", side -> "&q=77th");
            lookup(many);
        }
    }

    private void compare(Side few, Side many, String what, Function<Side, String> question) {
        var ofFew = requests(few, "apps/catalog?limit=10" + question.apply(few));
        var ofMany = requests(many, "apps/catalog?limit=10" + question.apply(many));
        warm(few, ofFew);
        warm(many, ofMany);
        var before = new double[PASSES];
        var after = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            before[pass] = p99(few, ofFew);
            after[pass] = p99(many, ofMany);
        }
        var ratio = Table.median(after) / Table.median(before);
        table.add(new Table.Row(
                "catalog: " + what + ", p99",
                Table.number(Table.median(after)) + " ms with " + many.size(),
                Table.number(Table.median(before)) + " ms with " + few.size(),
                Table.number(ratio),
                "≤ " + BAR + " ×",
                Table.met(ratio <= BAR),
                RATE + " requests a second; the tenants' owners in turn"));
    }

    private void lookup(Side side) {
        var requests = requests(side, "registries/artifact_type/app_bundle");
        warm(side, requests);
        var passes = new double[PASSES];
        for (var pass = 0; pass < PASSES; pass++) {
            passes[pass] = p99(side, requests);
        }
        var lookup = Table.median(passes);
        table.add(new Table.Row(
                "registries: an entry, p99",
                Table.number(lookup) + " ms",
                "",
                "",
                "≤ " + Table.number(LOOKUP_BAR_MS) + " ms",
                Table.met(lookup <= LOOKUP_BAR_MS),
                "as many"));
    }

    private static Side side(Stage stage, int apps) {
        var platform = stage.platform(HttpRows.ALL);
        stage.database().execute(GROW.formatted(apps, VERSIONS));
        SETTLE.forEach(stage.database()::execute);
        return new Side(stage, platform, apps);
    }

    private static void warm(Side side, Path requests) {
        side.stage.warmUntilCompiled(side.platform.process(), side.platform.port(), requests, RATE * 10);
    }

    private static double p99(Side side, Path requests) {
        return side.stage
                        .load(side.platform.port(), requests, (int) (RATE * SECONDS), SECONDS, RATE)
                        .path("p99_us")
                        .asDouble()
                / 1_000;
    }

    private static Path requests(Side side, String question) {
        List<String> lines = new ArrayList<>();
        for (var token : side.platform.tokens()) {
            lines.add("GET\t/api/v1/" + question + "\t" + token + "\t");
        }
        return side.stage.requests("catalog", lines);
    }
}
