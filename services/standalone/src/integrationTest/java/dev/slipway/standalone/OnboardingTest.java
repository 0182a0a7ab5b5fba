package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.Proves;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** How a product comes to the platform: by entries of registries, an app and a manifest, through the public contract alone. */
class OnboardingTest {
    private static PlatformUnderTest platform;
    private static ApiClient admin;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        admin = platform.as("platform_superadmin");
        eventually(
                () -> get("getRegistryEntry", "scope", "apps.instance.report").expect(200));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().faults()).isEmpty();
        platform.close();
    }

    @Test
    @Proves({"1.62", "C.20"})
    void nobodyInATenant_changesTheCatalogOrARegistry() {
        for (var who : List.of("tenant_owner", "tenant_admin", "project_owner", "project_member", "service_account")) {
            var caller = platform.as(who);
            assertThat(told(caller.call("putRegistryEntry")
                            .path("kind", "product")
                            .path("entry_id", "apps")
                            .body(entry(
                                    Json.object().put("display_name", "Mine").put("owner", "me")))
                            .send()))
                    .isEqualTo("403 insufficient_permissions");
            assertThat(told(caller.call("createApp").body(app("theirs", "apps")).send()))
                    .isEqualTo("403 insufficient_permissions");
            for (var operation : List.of("publishAppVersion", "disableAppVersion", "retireAppVersion")) {
                assertThat(told(version(caller, operation, Demo.APP, Demo.VERSION)
                                .send()))
                        .isEqualTo("403 insufficient_permissions");
            }
        }
        assertThat(admin.call("putRegistryEntry")
                        .path("kind", "scope")
                        .path("entry_id", "apps.instance.report")
                        .body(entry(Json.object().put("x", 1)))
                        .send()
                        .status())
                .isEqualTo(400);
    }

    @Test
    void policyKey_thatWouldNotBeInForce_isNotRegistered() {
        var odd = policyKey("integer").put("merge", "intersect").put("default", "many");
        assertThat(fields(put("policy", "queue.odd", odd).expect(400)))
                .containsExactlyInAnyOrder("/body/merge", "/body/default");
        assertThat(fields(put("policy", "queue.odd", policyKey("map")).expect(400)))
                .containsExactly("/body/type");

        put(
                        "policy",
                        "queue.max_waiting",
                        policyKey("integer").put("merge", "minimum").put("default", 9))
                .expect(200);
    }

    private static ObjectNode policyKey(String type) {
        var body = Json.object().put("product_id", "apps").put("type", type);
        body.putArray("scope").add("project");
        return body;
    }

    @Test
    @Proves({"3.30", "3.38", "C.20"})
    void entry_livesFromDraftToRetired_everyChangeAVersionWithItsAuthor_announcedAndAudited() {
        var body = Json.object()
                .put("product_id", "nowhere")
                .put("owner", "metering")
                .put("display_name", "Page views")
                .put("unit", "1")
                .put("precision", 0)
                .put("rating_category", "web");
        assertThat(fields(put("usage_unit", "page_view", body).expect(400))).containsExactly("/body/product_id");
        assertThat(fields(put("usage_unit", "page_view", Json.object().put("unit", "1"))
                        .expect(400)))
                .contains("/body/owner", "/body/precision");
        get("getRegistryEntry", "usage_unit", "page_view").expect(404);

        var draft =
                put("usage_unit", "page_view", body.put("product_id", "apps")).expect(200);
        assertThat(draft.text("lifecycle") + draft.text("version")).isEqualTo("draft1");
        assertThat(told(move("usage_unit", "page_view", "deprecated"))).isEqualTo("409 state_conflict");
        move("usage_unit", "page_view", "active").expect(200);
        assertThat(told(put("usage_unit", "page_view", body))).isEqualTo("428 precondition_required");
        assertThat(told(put("usage_unit", "page_view", body, "\"1\""))).isEqualTo("412 precondition_failed");
        var etag = get("getRegistryEntry", "usage_unit", "page_view").header("ETag");
        var revised = put("usage_unit", "page_view", body.deepCopy().put("precision", 3), etag)
                .expect(200);
        assertThat(revised.text("lifecycle") + revised.text("version")).isEqualTo("active3");
        move("usage_unit", "page_view", "retired").expect(200);
        assertThat(told(put("usage_unit", "page_view", body, "*"))).isEqualTo("409 state_conflict");
        assertThat(told(move("usage_unit", "page_view", "active"))).isEqualTo("409 state_conflict");

        var versions = get("listRegistryEntryVersions", "usage_unit", "page_view")
                .expect(200)
                .body()
                .path("items");
        assertThat(texts(versions, "lifecycle")).containsExactly("retired", "active", "active", "draft");
        assertThat(versions.get(1).path("body").path("precision").asInt()).isEqualTo(3);
        assertThat(versions.get(2).path("body").path("precision").asInt()).isZero();
        assertThat(versions.findValuesAsText("display_name")).contains("Demo platform superadmin");
        eventually(() -> assertThat(platform.events()
                        .where(seen -> seen.key().equals("registry:usage_unit:page_view")
                                && seen.type().equals("catalog.registry.snapshot")))
                .hasSize(4));
        eventually(() ->
                assertThat(audits("registry.write", "usage_unit:page_view")).hasSize(4));
    }

    @Test
    @Proves("3.32")
    void registries_areReadByAnybody_inPages_withScopesAsIamHasThem() {
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
        var scope = get("getRegistryEntry", "scope", "scheduler.queue.submit")
                .expect(200)
                .body();
        assertThat(scope.at("/body/product_id").asText()).isEqualTo("scheduler");
        assertThat(scope.at("/body/risk_class").asText()).isEqualTo("medium");
        assertThat(scope.path("lifecycle").asText()).isEqualTo("active");
    }

    /** The way of a third party's product: its artifacts and entitlements are in the tests of those. */
    @Test
    @Proves({"1.20", "1.43", "1.44", "2.70"})
    void product_isBroughtFromNothingToItsEnd_byItsManifestAlone() {
        put("product", "acme", Json.object().put("display_name", "Acme").put("owner", "acme inc"))
                .expect(200);
        assertThat(fields(admin.call("createApp")
                        .body(app("acme-db", "acme"))
                        .send()
                        .expect(400)))
                .containsExactly("/product_id");
        move("product", "acme", "active").expect(200);
        var app = admin.call("createApp").body(app("acme-db", "acme")).send().expect(201);
        assertThat(app.header("Location")).isEqualTo("/api/v1/apps/catalog/acme-db");
        assertThat(told(admin.call("createApp").body(app("acme-db", "acme")).send()))
                .isEqualTo("409 slug_taken");

        var manifest = manifest("acme-db", "1.0.0");
        manifest.putArray("required_actions").add("acme.nothing");
        manifest.putArray("usage_units").add("barrels");
        manifest.remove("runbook");
        manifest.remove("lifecycle");
        manifest.withArray("artifacts")
                .addObject()
                .put("name", "image")
                .put("type", "no_such_type")
                .put("digest", "sha256:" + "0".repeat(64));
        var validated =
                admin.call("validateManifest").body(wrapped(manifest)).send().expect(200);
        var expected = List.of(
                "/lifecycle/upgrade missing",
                "/lifecycle/rollback missing",
                "/lifecycle/delete missing",
                "/runbook missing",
                "/required_actions/0 unknown_action",
                "/usage_units/0 unknown_usage_unit",
                "/artifacts/0/type unknown_artifact_type",
                "/artifacts/0/digest artifact_untrusted");
        assertThat(problems(validated)).containsExactlyElementsOf(expected);
        assertThat(validated.body().path("publishable").asBoolean()).isFalse();
        var draft = register("acme-db", manifest).expect(201);
        assertThat(problems(draft)).containsExactlyElementsOf(expected);
        var refused =
                version(admin, "publishAppVersion", "acme-db", "1.0.0").send().expect(409);
        assertThat(refused.text("code")).isEqualTo("manifest_invalid");
        assertThat(fields(refused))
                .contains("/manifest/lifecycle/delete", "/manifest/runbook", "/manifest/artifacts/0/digest")
                .hasSize(expected.size());
        assertUnseen("acme-db", "1.0.0");

        var good = manifest("acme-db", "1.0.0");
        var fixed =
                replace("acme-db", "1.0.0", good, draft.text("manifest_digest")).expect(200);
        assertThat(problems(fixed)).isEmpty();
        assertThat(fixed.text("manifest_digest")).isEqualTo(CanonicalJson.digest(good));
        var published =
                version(admin, "publishAppVersion", "acme-db", "1.0.0").send().expect(200);
        assertThat(published.text("status")).isEqualTo("active");
        assertThat(published
                        .body()
                        .at("/registry_versions/usage_unit/app_runtime_hour")
                        .asInt())
                .isEqualTo(1);
        assertThat(told(replace("acme-db", "1.0.0", manifest("acme-db", "1.0.0").put("summary", "other"), null)))
                .isEqualTo("409 version_immutable");
        assertThat(texts(search("q=acme").body().path("items"), "slug")).containsExactly("acme-db");
        var shown = version(platform.as("project_viewer"), "getAppVersion", "acme-db", "1.0.0")
                .send()
                .expect(200);
        assertThat(shown.text("manifest_digest")).isEqualTo(CanonicalJson.digest(good));

        register("acme-db", manifest("acme-db", "1.1.0")).expect(201);
        version(admin, "publishAppVersion", "acme-db", "1.1.0").send().expect(200);
        var deprecation = Json.object().put("date", "2027-01-31").put("successor", "1.2.0");
        assertThat(fields(version(admin, "deprecateAppVersion", "acme-db", "1.0.0")
                        .body(deprecation)
                        .send()
                        .expect(400)))
                .containsExactly("/successor");
        version(admin, "deprecateAppVersion", "acme-db", "1.0.0")
                .body(deprecation.put("successor", "1.1.0"))
                .send()
                .expect(200);
        shown = version(platform.as("project_viewer"), "getAppVersion", "acme-db", "1.0.0")
                .send()
                .expect(200);
        assertThat(List.of(shown.text("status"), shown.text("deprecation_date"), shown.text("successor")))
                .containsExactly("deprecated", "2027-01-31", "1.1.0");
        assertThat(told(version(admin, "retireAppVersion", "acme-db", "1.0.0").send()))
                .isEqualTo("409 state_conflict");
        version(admin, "disableAppVersion", "acme-db", "1.0.0").send().expect(200);
        version(admin, "retireAppVersion", "acme-db", "1.0.0").send().expect(200);
        assertThat(told(version(admin, "publishAppVersion", "acme-db", "1.0.0").send()))
                .isEqualTo("409 state_conflict");

        eventually(() -> assertThat(platform
                        .events()
                        .where(seen -> seen.payload().path("app_slug").asText().equals("acme-db")
                                && seen.topic().equals("catalog.events"))
                        .stream()
                        .map(Seen::type))
                .containsExactly(
                        "apps.app.created",
                        "apps.version.published",
                        "apps.version.published",
                        "apps.version.deprecated",
                        "apps.version.disabled",
                        "apps.version.retired"));
        eventually(() -> assertThat(platform.database()
                        .query(
                                "SELECT string_agg(version || ' ' || status, ', ' ORDER BY version) FROM instances.app_versions"
                                        + " WHERE app_id = '" + app.text("id") + "'"))
                .isEqualTo("1.0.0 retired, 1.1.0 active"));
    }

    /** An inventory, say: its racks are its own business. What the platform has of it are words that it registers, and what is said with them. */
    @Test
    @Proves({"3.09", "3.24"})
    void product_composesPolicyEntitlementUnitsAndAudit_byWhatItRegisters() {
        put("product", "depot", Json.object().put("display_name", "Depot").put("owner", "depot inc"))
                .expect(200);
        move("product", "depot", "active").expect(200);
        admin.call("createApp").body(app("depot", "depot")).send().expect(201);
        var manifest = manifest("depot", "1.0.0");
        manifest.putArray("usage_units").add("rack_hour");
        manifest.putArray("operations")
                .addObject()
                .put("name", "rack.reserve")
                .put("action", "depot.rack.reserve")
                .put("deadline_seconds", 60);
        assertThat(problems(register("depot", manifest).expect(201)))
                .containsExactly("/operations/0/action unknown_action", "/usage_units/0 unknown_usage_unit");
        assertThat(told(entitled("depot", "{'depot.max_racks': 2}"))).isEqualTo("422 policy_invalid");

        var key = policyKey("integer")
                .put("product_id", "depot")
                .put("merge", "minimum")
                .put("default", 8);
        key.withArray("scope").add("entitlement");
        put("policy", "depot.max_racks", key).expect(200);
        move("policy", "depot.max_racks", "active").expect(200);
        var unit = Json.object()
                .put("product_id", "depot")
                .put("owner", "metering")
                .put("display_name", "Rack hours")
                .put("unit", "h")
                .put("precision", 3)
                .put("rating_category", "racks");
        put("usage_unit", "rack_hour", unit).expect(200);
        move("usage_unit", "rack_hour", "active").expect(200);
        var scope = Json.object()
                .put("scope_id", "depot.rack.reserve")
                .put("product_id", "depot")
                .put("risk_class", "medium")
                .put("description", "Reserve a rack.");
        scope.putArray("default_roles").add("project_owner");
        admin.call("registerScope").body(scope).send().expect(201);
        admin.call("activateScope")
                .path("scope_id", "depot.rack.reserve")
                .send()
                .expect(200);

        var published = eventuallyGet(() ->
                version(admin, "publishAppVersion", "depot", "1.0.0").send().expect(200));
        var entitlement = entitled("depot", "{'depot.max_racks': 2}").expect(200);

        var effective = platform.as("tenant_owner")
                .call("getEffectivePolicy")
                .path("project_id", Demo.PROJECT)
                .query("app_slug=depot&explain=true")
                .send()
                .expect(200)
                .body();
        assertThat(effective.path("values").path("depot.max_racks").asInt()).isEqualTo(2);
        assertThat(published
                        .body()
                        .at("/registry_versions/usage_unit/rack_hour")
                        .asInt())
                .isEqualTo(2);
        eventually(() -> assertThat(platform.as("tenant_owner")
                        .call("getCorrelation")
                        .path("correlation_id", entitlement.header("X-Correlation-ID"))
                        .send()
                        .expect(200)
                        .body()
                        .path("items")
                        .findValuesAsText("title"))
                .contains("apps.entitlement.write"));
        for (var id : List.of("product:depot", "policy:depot.max_racks", "usage_unit:rack_hour")) {
            eventually(() -> assertThat(audits("registry.write", id)).hasSize(2));
        }
        assertThat(launchability("depot", Demo.PROJECT)).isEqualTo("true null");
    }

    private static Answer entitled(String slug, String overrides) {
        var body = Json.object().put("enabled", true);
        body.set("policy_overrides", PolicyCalls.json(overrides));
        return platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", Demo.PROJECT)
                .path("app_slug", slug)
                .body(body)
                .send();
    }

    @Test
    @Proves({"1.41", "1.42"})
    void catalog_isSearchedAndPaged_withoutDrafts() {
        for (var i = 0; i < 5; i++) {
            published("searched-" + i, i % 2 == 0 ? "even" : "odd", "Finder " + i + " Größe");
        }
        admin.call("createApp").body(app("searched-hidden", "apps")).send().expect(201);

        assertThat(texts(search("q=FIND").body().path("items"), "slug"))
                .containsExactly("searched-4", "searched-3", "searched-2", "searched-1", "searched-0");
        assertThat(texts(search("q=searched%20odd").body().path("items"), "slug"))
                .containsExactly("searched-3", "searched-1");
        assertThat(texts(search("q=finder&category=even").body().path("items"), "slug"))
                .containsExactly("searched-4", "searched-2", "searched-0");
        assertThat(texts(search("q=gr%C3%B6%C3%9Fe%203").body().path("items"), "slug"))
                .containsExactly("searched-3");
        assertThat(search("q=%26%7C!").body().path("items")).isEmpty();
        assertThat(search("q=hidden").body().path("items")).isEmpty();
        assertThat(paged("category=even&limit=1")).containsExactly("searched-4", "searched-2", "searched-0");
        assertThat(paged("q=finder&limit=2"))
                .containsExactly("searched-4", "searched-3", "searched-2", "searched-1", "searched-0");
        assertThat(paged("q=finder&category=odd&limit=1")).containsExactly("searched-3", "searched-1");
        assertUnseen("searched-hidden", "1.0.0");
        assertThat(told(platform.as("project_viewer")
                        .call("getApp")
                        .path("app_slug", "searched-hidden")
                        .send()))
                .isEqualTo("404 app_not_found");
    }

    @Test
    void catalog_isSearchedToItsEnd_whenMostOfItIsNewerAndNotMeant() {
        for (var i = 0; i < 3; i++) {
            published("needle-" + i, "haystack", "Needle " + i);
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

    @Test
    void launchSchema_hasTheDefaultsAndWhatIsLocked() {
        var manifest = manifest("launched", "1.0.0");
        manifest.set("launch", Json.trusted("""
                {"schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 8, "default": 2},
                                                             "mode": {"enum": ["a", "b"], "default": "a"}, "note": {"type": "string"}}},
                 "locked": ["mode"]}
                """));
        admin.call("createApp").body(app("launched", "apps")).send().expect(201);
        register("launched", manifest).expect(201);
        version(admin, "publishAppVersion", "launched", "1.0.0").send().expect(200);

        var schema = version(platform.as("project_member"), "getLaunchSchema", "launched", "1.0.0")
                .send()
                .expect(200);

        assertThat(schema.body().path("defaults")).isEqualTo(Json.trusted("{\"size\": 2, \"mode\": \"a\"}"));
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
    void draft_isKeptFromTheSecondOfTwoWriters_andFromAWrongShape() {
        admin.call("createApp").body(app("drafted", "apps")).send().expect(201);
        var wrong = manifest("drafted", "1.0.0").put("surprise", 1).put("app", "another");
        assertThat(fields(register("drafted", wrong).expect(400))).containsExactly("/manifest/surprise");
        var draft = register("drafted", manifest("drafted", "1.0.0")).expect(201);
        assertThat(fields(register("drafted", manifest("drafted", "1.0.0")).expect(409)))
                .containsExactly("/manifest/version");

        var mine = manifest("drafted", "1.0.0").put("summary", "mine");
        replace("drafted", "1.0.0", mine, draft.text("manifest_digest")).expect(200);
        var theirs = manifest("drafted", "1.0.0").put("summary", "theirs");

        assertThat(told(replace("drafted", "1.0.0", theirs, draft.text("manifest_digest"))))
                .isEqualTo("412 precondition_failed");
        var kept =
                version(admin, "getVersionForAdmin", "drafted", "1.0.0").send().expect(200);
        assertThat(kept.body().at("/manifest/summary").asText()).isEqualTo("mine");
        assertThat(fields(replace("drafted", "1.0.0", manifest("drafted", "1.0.1"), null)
                        .expect(400)))
                .containsExactly("/manifest/version");
        version(admin, "retireAppVersion", "drafted", "1.0.0").send().expect(200);
        assertUnseen("drafted", "1.0.0");
    }

    @Test
    @Proves("C.02")
    void everyMutation_hasOneEffect_whenItsKeyComesAgain() {
        var twice = new ArrayList<Call>();
        twice.add(admin.call("putRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "twice")
                .body(entry(Json.object().put("display_name", "Twice").put("owner", "us"))));
        twice.add(admin.call("moveRegistryEntry")
                .path("kind", "product")
                .path("entry_id", "twice")
                .body(Json.object().put("lifecycle", "active")));
        twice.add(admin.call("createApp").body(app("twice", "twice")));
        twice.add(admin.call("updateApp")
                .path("app_slug", "twice")
                .body(Json.object().put("display_name", "Again").put("status", "deprecated")));
        twice.add(admin.call("registerAppVersion").path("app_slug", "twice").body(wrapped(manifest("twice", "1"))));
        twice.add(version(admin, "replaceDraftManifest", "twice", "1")
                .body(wrapped(manifest("twice", "1").put("summary", "better"))));
        twice.add(version(admin, "publishAppVersion", "twice", "1"));
        twice.add(version(admin, "deprecateAppVersion", "twice", "1").body(Json.object()));
        twice.add(version(admin, "disableAppVersion", "twice", "1"));
        twice.add(version(admin, "retireAppVersion", "twice", "1"));

        for (var call : twice) {
            var key = UUID.randomUUID().toString();
            var first = call.header("Idempotency-Key", key).send();
            assertThat(first.status()).as("%s", first.body()).isBetween(200, 201);
            var effects = effects();
            var second = call.send();
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(second.status()).isEqualTo(first.status());
            assertThat(effects()).isEqualTo(effects);
        }
    }

    @Test
    @Proves("1.91")
    void disabledVersion_startsNoNewInstance_leavesThoseThatRun_andIsNotRetiredBeforeThem() {
        register(Demo.APP, manifest(Demo.APP, "2.0.0")).expect(201);
        version(admin, "publishAppVersion", Demo.APP, "2.0.0").send().expect(200);
        eventually(() -> assertThat(launchable("2.0.0")).isEqualTo("active"));
        var running = launch("2.0.0").expect(202).text("id");

        version(admin, "disableAppVersion", Demo.APP, "2.0.0").send().expect(200);
        eventually(() -> assertThat(launchable("2.0.0")).isEqualTo("disabled"));

        assertThat(told(launch("2.0.0"))).isEqualTo("409 app_version_not_launchable");
        assertThat(platform.instance("getAppInstance", "project_owner", running)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("requested");
        eventually(() -> assertThat(version(admin, "getVersionForAdmin", Demo.APP, "2.0.0")
                        .send()
                        .expect(200)
                        .body()
                        .path("instances")
                        .asInt())
                .isEqualTo(1));
        assertThat(told(version(admin, "retireAppVersion", Demo.APP, "2.0.0").send()))
                .isEqualTo("409 not_empty");
    }

    @Test
    @Proves("1.41")
    void catalog_saysWhatAProjectCouldLaunch_andWhyNot() {
        published("viewed", "views", "Viewed");
        assertThat(launchability("viewed", Demo.PROJECT)).isEqualTo("false app_not_entitled");
        assertThat(launchability(Demo.APP, Demo.PROJECT)).isEqualTo("true null");

        platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", Demo.PROJECT)
                .path("app_slug", "viewed")
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200);

        assertThat(launchability("viewed", Demo.PROJECT)).isEqualTo("true null");
        assertThat(launchability("viewed", Demo.SIBLING_PROJECT)).isEqualTo("false app_not_entitled");
        version(admin, "disableAppVersion", "viewed", "1.0.0").send().expect(200);
        assertThat(launchability("viewed", Demo.PROJECT)).isEqualTo("false app_version_not_launchable");
        var shown = version(platform.as("tenant_owner"), "getAppVersion", "viewed", "1.0.0")
                .header("X-Project-ID", Demo.PROJECT.toString())
                .send()
                .expect(200);
        assertThat(shown.text("not_launchable_reason")).isEqualTo("app_version_not_launchable");
        assertThat(search("q=viewed").body().path("items").get(0).has("launchable"))
                .isFalse();
    }

    @Test
    void updateApp_isRefused_whenTheAppHasChangedSinceItWasRead() {
        var read = admin.call("createApp")
                .body(app("contended", "apps"))
                .send()
                .expect(201)
                .header("ETag");

        var first = update("contended", "First").header("If-Match", read).send().expect(200);
        var second =
                update("contended", "Second").header("If-Match", read).send().expect(412);

        assertThat(second.text("code")).isEqualTo("precondition_failed");
        assertThat(second.header("ETag")).isEqualTo(first.header("ETag")).isNotEqualTo(read);
        var third = update("contended", "Third").header("Idempotency-Key", "third");
        var unconditional = third.send().expect(200);
        assertThat(unconditional.header("ETag")).isNotEqualTo(first.header("ETag"));
        assertThat(third.send().expect(200).header("ETag")).isEqualTo(unconditional.header("ETag"));
        register("contended", manifest("contended", "1.0.0")).expect(201);
        version(admin, "publishAppVersion", "contended", "1.0.0").send().expect(200);
        var shown = platform.as("project_viewer")
                .call("getApp")
                .path("app_slug", "contended")
                .send()
                .expect(200);
        assertThat(shown.text("display_name")).isEqualTo("Third");
        assertThat(shown.header("ETag")).isEqualTo(unconditional.header("ETag"));
    }

    private static Call update(String slug, String name) {
        return admin.call("updateApp").path("app_slug", slug).body(Json.object().put("display_name", name));
    }

    @Test
    @Proves("3.39")
    void instance_keepsTheVersionsOfRegistryEntries_thatItWasMadeUnder() {
        var hours = Json.object()
                .put("product_id", "apps")
                .put("owner", "metering")
                .put("display_name", "Stamped hours")
                .put("unit", "h")
                .put("precision", 0)
                .put("rating_category", "compute");
        put("usage_unit", "stamped_hour", hours).expect(200);
        move("usage_unit", "stamped_hour", "active").expect(200);
        admin.call("createApp").body(app("stamped", "apps")).send().expect(201);
        publishedIn("stamped", "1.0.0", "stamped_hour");
        platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", Demo.PROJECT)
                .path("app_slug", "stamped")
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200);
        var early = eventuallyGet(() -> launch("stamped", "1.0.0").expect(202));

        put("usage_unit", "stamped_hour", hours.put("precision", 3), "*").expect(200);
        publishedIn("stamped", "1.1.0", "stamped_hour");
        var late = eventuallyGet(() -> launch("stamped", "1.1.0").expect(202));

        assertThat(List.of(stamp(early), stamp(shown(early)), stamp(late), stamp(shown(late))))
                .containsExactly(2, 2, 3, 3);
        assertThat(stamp(
                        version(admin, "getVersionForAdmin", "stamped", "1.0.0").send()))
                .isEqualTo(2);
    }

    private static void publishedIn(String slug, String version, String unit) {
        var manifest = manifest(slug, version);
        manifest.putArray("usage_units").add(unit);
        register(slug, manifest).expect(201);
        version(admin, "publishAppVersion", slug, version).send().expect(200);
    }

    private static int stamp(Answer answer) {
        return answer.body().at("/registry_versions/usage_unit/stamped_hour").asInt();
    }

    private static Answer shown(Answer launched) {
        return platform.instance("getAppInstance", "project_owner", launched.text("id"))
                .send()
                .expect(200);
    }

    private static String launchability(String slug, UUID project) {
        var listed = platform.as("tenant_owner")
                .call("listApps")
                .query("q=" + slug)
                .header("X-Project-ID", project.toString())
                .send()
                .expect(200)
                .body()
                .path("items")
                .get(0);
        return listed.path("launchable").asText() + " "
                + listed.path("not_launchable_reason").asText();
    }

    @Test
    @Proves({"1.95", "1.96"})
    void tables_holdWhatTheyHaveTo_andRefuseAnotherStatusOrBackend() {
        var database = platform.database();
        assertThat(database.query("""
                        SELECT string_agg(column_name, ' ' ORDER BY column_name) FROM information_schema.columns
                        WHERE table_schema = 'catalog' AND table_name = 'app_catalog' AND is_nullable = 'NO'
                        """))
                .contains("category", "created_at", "display_name", "id", "publisher", "slug", "status", "updated_at");
        for (var wrong : List.of(
                "UPDATE catalog.app_catalog SET status = 'gone'",
                "UPDATE catalog.app_versions SET status = 'gone'",
                "UPDATE catalog.app_versions SET runtime_backend = 'mainframe'",
                "INSERT INTO catalog.app_catalog SELECT gen_random_uuid(), slug, display_name, category, publisher, status, 1, now(),"
                        + " now() FROM catalog.app_catalog",
                "INSERT INTO catalog.app_versions (id, app_id, version, runtime_backend, manifest, status, updated_at)"
                        + " SELECT gen_random_uuid(), app_id, version, runtime_backend, manifest, status, now()"
                        + " FROM catalog.app_versions")) {
            assertThatThrownBy(() -> database.execute(wrong)).as(wrong).isInstanceOf(Exception.class);
        }
    }

    private static String launchable(String version) {
        return platform.database()
                .query("SELECT status FROM instances.app_versions WHERE version = '" + version + "' AND app_id = '"
                        + Demo.ECHO + "'");
    }

    private static Answer launch(String version) {
        return launch(Demo.APP, version);
    }

    private static Answer launch(String slug, String version) {
        return platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", Demo.PROJECT)
                .body(PlatformUnderTest.launchBody("of " + version)
                        .put("app_slug", slug)
                        .put("version", version))
                .send();
    }

    /** All that there is, page by page. */
    private static List<String> paged(String query) {
        var found = new ArrayList<String>();
        var cursor = "";
        do {
            var page = search(query + cursor).body();
            found.addAll(texts(page.path("items"), "slug"));
            cursor = page.path("next_cursor").isNull()
                    ? ""
                    : "&cursor=" + page.path("next_cursor").asText();
        } while (!cursor.isEmpty());
        return found;
    }

    private static String effects() {
        return platform.database().query("""
                SELECT concat_ws(' ', (SELECT count(*) FROM catalog.registry_versions),
                    (SELECT sum(revision) FROM catalog.app_catalog), (SELECT sum(revision) FROM catalog.app_versions))
                """);
    }

    private static void assertUnseen(String slug, String version) {
        var viewer = platform.as("project_viewer");
        assertThat(version(viewer, "getAppVersion", slug, version)
                        .send()
                        .expect(404)
                        .text("code"))
                .isEqualTo("app_version_not_found");
        assertThat(platform.events()
                        .where(seen -> seen.type().startsWith("apps.version.")
                                && seen.payload().path("app_slug").asText().equals(slug)
                                && seen.payload().path("app_version").asText().equals(version)))
                .isEmpty();
    }

    private static void published(String slug, String category, String name) {
        admin.call("createApp")
                .body(app(slug, "apps").put("category", category).put("display_name", name))
                .send()
                .expect(201);
        register(slug, manifest(slug, "1.0.0")).expect(201);
        version(admin, "publishAppVersion", slug, "1.0.0").send().expect(200);
    }

    private static ObjectNode app(String slug, String product) {
        return Json.object()
                .put("slug", slug)
                .put("display_name", "App " + slug)
                .put("category", "tests")
                .put("publisher", "Test")
                .put("product_id", product);
    }

    /** The demo's own manifest under another name: what it has is enough for anybody. */
    private static ObjectNode manifest(String slug, String version) {
        return Json.trusted(Demo.manifest()).put("app", slug).put("version", version);
    }

    private static ObjectNode wrapped(JsonNode manifest) {
        var body = Json.object();
        body.set("manifest", manifest);
        return body;
    }

    private static ObjectNode entry(ObjectNode body) {
        var entry = Json.object();
        entry.set("body", body);
        return entry;
    }

    private static Answer register(String slug, JsonNode manifest) {
        return admin.call("registerAppVersion")
                .path("app_slug", slug)
                .body(wrapped(manifest))
                .send();
    }

    private static Answer replace(String slug, String version, JsonNode manifest, @Nullable String expected) {
        var body = wrapped(manifest);
        if (expected != null) {
            body.put("expected_digest", expected);
        }
        return version(admin, "replaceDraftManifest", slug, version).body(body).send();
    }

    private static Answer put(String kind, String id, ObjectNode body) {
        return admin.call("putRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .body(entry(body))
                .send();
    }

    private static Answer put(String kind, String id, ObjectNode body, String etag) {
        return admin.call("putRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .header("If-Match", etag)
                .body(entry(body))
                .send();
    }

    private static Answer move(String kind, String id, String lifecycle) {
        return admin.call("moveRegistryEntry")
                .path("kind", kind)
                .path("entry_id", id)
                .body(Json.object().put("lifecycle", lifecycle))
                .send();
    }

    private static Answer get(String operation, String kind, String id) {
        return platform.as("project_viewer")
                .call(operation)
                .path("kind", kind)
                .path("entry_id", id)
                .send();
    }

    private static Call version(ApiClient caller, String operation, String slug, String version) {
        return caller.call(operation).path("app_slug", slug).path("version", version);
    }

    private static Answer search(String query) {
        return platform.as("project_viewer")
                .call("listApps")
                .query(query)
                .send()
                .expect(200);
    }

    private static List<String> problems(Answer answer) {
        return StreamSupport.stream(answer.body().path("problems").spliterator(), false)
                .map(problem -> problem.path("pointer").asText() + " "
                        + problem.path("code").asText())
                .toList();
    }

    private static List<String> fields(Answer answer) {
        return texts(answer.body().at("/details/fields"), "field");
    }

    private static List<String> texts(JsonNode items, String field) {
        return StreamSupport.stream(items.spliterator(), false)
                .map(item -> item.path(field).asText())
                .toList();
    }

    private static List<Seen> audits(String action, String target) {
        return platform.events()
                .where(seen -> seen.type().equals("audit.recorded")
                        && seen.payload().path("action").asText().equals(action)
                        && seen.payload().path("target_id").asText().equals(target)
                        && seen.payload().path("result").asText().equals("success"));
    }

    private static String told(Answer answer) {
        return answer.status() + " " + answer.text("code");
    }
}
