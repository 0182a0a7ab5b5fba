package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.fields;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.policyKey;
import static dev.slipway.standalone.CatalogCalls.texts;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The catalog and the registries, through the API. */
class CatalogTest extends CatalogTestBase {
    @Test
    void putRegistryEntry_refuses_invalidPolicyKey() {
        var odd = policyKey("integer").put("merge", "intersect").put("default", "many");
        assertThat(fields(calls.put("policy", "queue.odd", odd).expect(400)))
                .containsExactlyInAnyOrder("/body/merge", "/body/default");
        assertThat(fields(calls.put("policy", "queue.odd", policyKey("map")).expect(400)))
                .containsExactly("/body/type");

        calls.put(
                        "policy",
                        "queue.max_waiting",
                        policyKey("integer").put("merge", "minimum").put("default", 9))
                .expect(200);
    }

    @Test
    @Proves("3.108")
    void seededEntries_areUpdated_byThePutOfTheGuide() throws IOException {
        var guide = Files.readString(Path.of("../../docs/catalog.md"));
        assertThat(guide).contains("`PUT /api/v1/admin/registries/{kind}/{entry_id}`");
        var seeds = Map.of("usage_unit", "app_runtime_hour", "runtime_backend", "ray");
        for (var seed : seeds.entrySet()) {
            var seeded = calls.get("getRegistryEntry", seed.getKey(), seed.getValue())
                    .expect(200);
            var body = ((ObjectNode) seeded.body().path("body")).deepCopy().put("display_name", "Renamed");

            var updated = calls.put(seed.getKey(), seed.getValue(), body, seeded.header("ETag"))
                    .expect(200);

            assertThat(updated.body().path("version").asInt())
                    .isEqualTo(seeded.body().path("version").asInt() + 1);
            assertThat(calls.get("getRegistryEntry", seed.getKey(), seed.getValue())
                            .expect(200)
                            .body()
                            .at("/body/display_name")
                            .asText())
                    .isEqualTo("Renamed");
        }
    }

    @Test
    @Proves({"3.30", "3.38", "C.20"})
    void registryEntry_passesItsLifecycle_withVersionsEventsAndAudit() {
        var body = Json.object()
                .put("product_id", "nowhere")
                .put("owner", "metering")
                .put("display_name", "Page views")
                .put("unit", "1")
                .put("precision", 0)
                .put("rating_category", "web");
        assertThat(fields(calls.put("usage_unit", "page_view", body).expect(400)))
                .containsExactly("/body/product_id");
        assertThat(fields(calls.put("usage_unit", "page_view", Json.object().put("unit", "1"))
                        .expect(400)))
                .contains("/body/owner", "/body/precision");
        calls.get("getRegistryEntry", "usage_unit", "page_view").expect(404);

        var draft = calls.put("usage_unit", "page_view", body.put("product_id", "apps"))
                .expect(200);
        assertThat(draft.text("lifecycle") + draft.text("version")).isEqualTo("draft1");
        assertThat(statusAndCode(calls.move("usage_unit", "page_view", "deprecated")))
                .isEqualTo("409 state_conflict");
        calls.move("usage_unit", "page_view", "active").expect(200);
        assertThat(statusAndCode(calls.put("usage_unit", "page_view", body))).isEqualTo("428 precondition_required");
        assertThat(statusAndCode(calls.put("usage_unit", "page_view", body, "\"1\"")))
                .isEqualTo("412 precondition_failed");
        var etag = calls.get("getRegistryEntry", "usage_unit", "page_view").header("ETag");
        var revised = calls.put("usage_unit", "page_view", body.deepCopy().put("precision", 3), etag)
                .expect(200);
        assertThat(revised.text("lifecycle") + revised.text("version")).isEqualTo("active3");
        calls.move("usage_unit", "page_view", "retired").expect(200);
        assertThat(statusAndCode(calls.put("usage_unit", "page_view", body, "*")))
                .isEqualTo("409 state_conflict");
        assertThat(statusAndCode(calls.move("usage_unit", "page_view", "active")))
                .isEqualTo("409 state_conflict");

        var versions = calls.get("listRegistryEntryVersions", "usage_unit", "page_view")
                .expect(200)
                .body()
                .path("items");
        assertThat(texts(versions, "lifecycle")).containsExactly("retired", "active", "active", "draft");
        assertThat(versions.get(1).path("body").path("precision").asInt()).isEqualTo(3);
        assertThat(versions.get(2).path("body").path("precision").asInt()).isZero();
        assertThat(versions.findValuesAsText("display_name")).contains("Demo platform superadmin");
        eventually(() -> assertThat(platform.events()
                        .find(observedRecord -> observedRecord.key().equals("registry:usage_unit:page_view")
                                && observedRecord.type().equals("catalog.registry.snapshot")))
                .hasSize(4));
        eventually(() -> assertThat(calls.audits("registry.write", "usage_unit:page_view"))
                .hasSize(4));
    }

    @Test
    void listRegistryEntries_isPaged_andContainsIamScopes() {
        var viewer = platform.as("project_viewer");
        var first = viewer.call("listRegistryEntries")
                .path("kind", "usage_unit")
                .query("limit=2")
                .send()
                .expect(200);
        assertThat(texts(first.body().path("items"), "id")).hasSize(2).isSorted();
        var rest = viewer.call("listRegistryEntries")
                .path("kind", "usage_unit")
                .query("cursor=" + first.text("next_cursor"))
                .send()
                .expect(200);
        assertThat(texts(rest.body().path("items"), "id"))
                .isSorted()
                .doesNotContainAnyElementsOf(texts(first.body().path("items"), "id"));
        var scope = calls.get("getRegistryEntry", "scope", "scheduler.queue.submit")
                .expect(200)
                .body();
        assertThat(scope.at("/body/product_id").asText()).isEqualTo("scheduler");
        assertThat(scope.at("/body/risk_class").asText()).isEqualTo("medium");
        assertThat(scope.path("lifecycle").asText()).isEqualTo("active");
    }

    @Test
    @Proves("1.42")
    void listAppVersions_returnsPublishedVersions_newestFirst() {
        calls.publishApp("versioned", "views", "Versioned");
        for (var version : List.of("1.1.0", "1.2.0", "2.0.0")) {
            calls.register("versioned", manifest("versioned", version)).expect(201);
        }
        version(admin, "publishAppVersion", "versioned", "1.1.0").send().expect(200);
        version(admin, "publishAppVersion", "versioned", "1.2.0").send().expect(200);
        version(admin, "deprecateAppVersion", "versioned", "1.0.0")
                .body(Json.object().put("successor", "1.2.0"))
                .send()
                .expect(200);
        var viewer = platform.as("project_viewer");

        var all = viewer.call("listAppVersions")
                .path("app_slug", "versioned")
                .send()
                .expect(200);
        var page = viewer.call("listAppVersions")
                .path("app_slug", "versioned")
                .query("limit=2")
                .send()
                .expect(200);
        var rest = viewer.call("listAppVersions")
                .path("app_slug", "versioned")
                .query("limit=2&cursor=" + page.text("next_cursor"))
                .send()
                .expect(200);

        assertThat(texts(all.body().path("items"), "version")).containsExactly("1.2.0", "1.1.0", "1.0.0");
        assertThat(texts(all.body().path("items"), "status")).containsExactly("active", "active", "deprecated");
        assertThat(all.body().at("/items/2/successor").asText()).isEqualTo("1.2.0");
        assertThat(all.body().at("/items/0/manifest/version").asText()).isEqualTo("1.2.0");
        assertThat(texts(page.body().path("items"), "version")).containsExactly("1.2.0", "1.1.0");
        assertThat(texts(rest.body().path("items"), "version")).containsExactly("1.0.0");
        assertThat(statusAndCode(viewer.call("listAppVersions")
                        .path("app_slug", "no-such-app")
                        .send()))
                .isEqualTo("404 app_not_found");
    }

    @Test
    @Proves("1.41")
    void listApps_searchesAndPagesPublishedApps() {
        for (var i = 0; i < 5; i++) {
            calls.publishApp("searched-" + i, i % 2 == 0 ? "even" : "odd", "Finder " + i + " Größe");
        }
        admin.call("createApp").body(app("searched-hidden", "apps")).send().expect(201);

        assertThat(texts(calls.search("q=FIND").body().path("items"), "slug"))
                .containsExactly("searched-4", "searched-3", "searched-2", "searched-1", "searched-0");
        assertThat(texts(calls.search("q=searched%20odd").body().path("items"), "slug"))
                .containsExactly("searched-3", "searched-1");
        assertThat(texts(calls.search("q=finder&category=even").body().path("items"), "slug"))
                .containsExactly("searched-4", "searched-2", "searched-0");
        assertThat(texts(calls.search("q=gr%C3%B6%C3%9Fe%203").body().path("items"), "slug"))
                .containsExactly("searched-3");
        assertThat(calls.search("q=%26%7C!").body().path("items")).isEmpty();
        assertThat(calls.search("q=hidden").body().path("items")).isEmpty();
        assertThat(paged("category=even&limit=1")).containsExactly("searched-4", "searched-2", "searched-0");
        assertThat(paged("q=finder&limit=2"))
                .containsExactly("searched-4", "searched-3", "searched-2", "searched-1", "searched-0");
        assertThat(paged("q=finder&category=odd&limit=1")).containsExactly("searched-3", "searched-1");
        calls.assertInvisible("searched-hidden", "1.0.0");
        assertThat(statusAndCode(platform.as("project_viewer")
                        .call("getApp")
                        .path("app_slug", "searched-hidden")
                        .send()))
                .isEqualTo("404 app_not_found");
    }

    @Test
    void listApps_findsOldMatches_whenMostAppsAreNewer() {
        for (var i = 0; i < 3; i++) {
            calls.publishApp("needle-" + i, "haystack", "Needle " + i);
        }
        platform.database().execute("""
                INSERT INTO catalog.app_catalog (id, slug, display_name, category, publisher, status, published)
                SELECT gen_random_uuid(), 'straw-' || n, 'Straw', 'haystack', 'Test', 'active', n % 2 = 0 FROM generate_series(1, 1000) n
                """);
        try {
            assertThat(paged("q=needle&limit=2")).containsExactly("needle-2", "needle-1", "needle-0");
            assertThat(paged("q=needle&category=haystack&limit=2")).containsExactly("needle-2", "needle-1", "needle-0");
            assertThat(paged("q=straw&limit=100")).hasSize(500).doesNotHaveDuplicates();
            assertThat(paged("q=haystack&limit=100"))
                    .hasSize(503)
                    .doesNotHaveDuplicates()
                    .endsWith("needle-2", "needle-1", "needle-0");
        } finally {
            platform.database().execute("DELETE FROM catalog.app_catalog WHERE slug LIKE 'straw-%'");
        }
    }

    /** A platform can be in this state shortly after its first start. */
    @Test
    void publishAppVersion_isUnavailable_whileAScopeIsNotReplicated() {
        admin.call("createApp").body(app("early", "apps")).send().expect(201);
        calls.register("early", manifest("early", "1.0.0")).expect(201);
        renameScope("apps.instance.report", "away");
        try {
            var refused =
                    version(admin, "publishAppVersion", "early", "1.0.0").send().expect(503);
            assertThat(refused.text("code")).isEqualTo("service_unavailable");
        } finally {
            renameScope("away", "apps.instance.report");
        }
        version(admin, "publishAppVersion", "early", "1.0.0").send().expect(200);
    }

    /** Ignores the foreign key of its versions. */
    private static void renameScope(String from, String to) {
        platform.database().execute("""
                SET session_replication_role = replica;
                UPDATE catalog.registry_entries SET id = '%s' WHERE kind = 'scope' AND id = '%s'
                """.formatted(to, from));
    }

    @Test
    void getLaunchSchema_returnsDefaultsAndLockedProperties() {
        var manifest = manifest("launched", "1.0.0");
        manifest.set("launch", Json.parseStoredObject("""
                {"schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 8, "default": 2},
                                                             "mode": {"enum": ["a", "b"], "default": "a"}, "note": {"type": "string"}}},
                 "locked": ["mode"]}
                """));
        admin.call("createApp").body(app("launched", "apps")).send().expect(201);
        calls.register("launched", manifest).expect(201);
        version(admin, "publishAppVersion", "launched", "1.0.0").send().expect(200);

        var schema = version(platform.as("project_member"), "getLaunchSchema", "launched", "1.0.0")
                .send()
                .expect(200);

        assertThat(schema.body().path("defaults")).isEqualTo(Json.parseStoredObject("{\"size\": 2, \"mode\": \"a\"}"));
        assertThat(schema.body().path("locked")).hasSize(1);
        assertThat(schema.body().at("/schema/properties/size/maximum").asInt()).isEqualTo(8);
        assertThat(platform.as("project_member")
                        .call("getManifestSchema")
                        .send()
                        .expect(200)
                        .text("$id"))
                .endsWith("/manifest.v1.json");
    }

    @Test
    @Proves("1.41")
    void catalog_showsLaunchEligibility_ofAProject() {
        calls.publishApp("viewed", "views", "Viewed");
        assertThat(calls.launchability("viewed", DemoData.PROJECT)).isEqualTo("false app_not_entitled");
        assertThat(calls.launchability(DemoData.APP, DemoData.PROJECT)).isEqualTo("true null");

        platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", DemoData.PROJECT)
                .path("app_slug", "viewed")
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200);

        assertThat(calls.launchability("viewed", DemoData.PROJECT)).isEqualTo("true null");
        assertThat(calls.launchability("viewed", DemoData.SIBLING_PROJECT)).isEqualTo("false app_not_entitled");
        version(admin, "disableAppVersion", "viewed", "1.0.0").send().expect(200);
        assertThat(calls.launchability("viewed", DemoData.PROJECT)).isEqualTo("false app_version_not_launchable");
        var shown = version(platform.as("tenant_owner"), "getAppVersion", "viewed", "1.0.0")
                .header("X-Project-ID", DemoData.PROJECT.toString())
                .send()
                .expect(200);
        assertThat(shown.text("not_launchable_reason")).isEqualTo("app_version_not_launchable");
        assertThat(calls.search("q=viewed").body().path("items").get(0).has("launchable"))
                .isFalse();
    }

    /** Reads all pages. */
    private static List<String> paged(String query) {
        var found = new ArrayList<String>();
        var cursor = "";
        do {
            var page = calls.search(query + cursor).body();
            found.addAll(texts(page.path("items"), "slug"));
            cursor = page.path("next_cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("next_cursor").asText();
        } while (!cursor.isEmpty());
        return found;
    }
}
