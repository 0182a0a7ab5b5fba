package dev.slipway.standalone;

import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient;
import dev.slipway.testkit.ApiClient.Answer;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.EventTap.Seen;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.entry;
import static dev.slipway.standalone.CatalogCalls.fields;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.policyKey;
import static dev.slipway.standalone.CatalogCalls.problems;
import static dev.slipway.standalone.CatalogCalls.texts;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.standalone.CatalogCalls.wrapped;
import static dev.slipway.standalone.Tenants.told;
import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** How a product comes to the platform: by entries of registries, an app and a manifest, through the public contract alone. */
class OnboardingTest {
    private static PlatformUnderTest platform;
    private static ApiClient admin;
    private static CatalogCalls calls;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
        admin = platform.as("platform_superadmin");
        calls = new CatalogCalls(platform);
        eventually(() ->
                calls.get("getRegistryEntry", "scope", "apps.instance.report").expect(200));
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

    /** The way of a third party's product: its artifacts and entitlements are in the tests of those. */
    @Test
    @Proves({"1.20", "1.43", "1.44", "2.70"})
    void product_isBroughtFromNothingToItsEnd_byItsManifestAlone() {
        calls.put("product", "acme", Json.object().put("display_name", "Acme").put("owner", "acme inc"))
                .expect(200);
        assertThat(fields(admin.call("createApp")
                        .body(app("acme-db", "acme"))
                        .send()
                        .expect(400)))
                .containsExactly("/product_id");
        calls.move("product", "acme", "active").expect(200);
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
        var draft = calls.register("acme-db", manifest).expect(201);
        assertThat(problems(draft)).containsExactlyElementsOf(expected);
        var refused =
                version(admin, "publishAppVersion", "acme-db", "1.0.0").send().expect(409);
        assertThat(refused.text("code")).isEqualTo("manifest_invalid");
        assertThat(fields(refused))
                .contains("/manifest/lifecycle/delete", "/manifest/runbook", "/manifest/artifacts/0/digest")
                .hasSize(expected.size());
        calls.assertUnseen("acme-db", "1.0.0");

        var good = manifest("acme-db", "1.0.0");
        var fixed = calls.replace("acme-db", "1.0.0", good, draft.text("manifest_digest"))
                .expect(200);
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
        assertThat(told(calls.replace(
                        "acme-db", "1.0.0", manifest("acme-db", "1.0.0").put("summary", "other"), null)))
                .isEqualTo("409 version_immutable");
        assertThat(texts(calls.search("q=acme").body().path("items"), "slug")).containsExactly("acme-db");
        var shown = version(platform.as("project_viewer"), "getAppVersion", "acme-db", "1.0.0")
                .send()
                .expect(200);
        assertThat(shown.text("manifest_digest")).isEqualTo(CanonicalJson.digest(good));

        calls.register("acme-db", manifest("acme-db", "1.1.0")).expect(201);
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
        calls.put("product", "depot", Json.object().put("display_name", "Depot").put("owner", "depot inc"))
                .expect(200);
        calls.move("product", "depot", "active").expect(200);
        admin.call("createApp").body(app("depot", "depot")).send().expect(201);
        var manifest = manifest("depot", "1.0.0");
        manifest.putArray("usage_units").add("rack_hour");
        manifest.putArray("operations")
                .addObject()
                .put("name", "rack.reserve")
                .put("action", "depot.rack.reserve")
                .put("deadline_seconds", 60);
        assertThat(problems(calls.register("depot", manifest).expect(201)))
                .containsExactly("/operations/0/action unknown_action", "/usage_units/0 unknown_usage_unit");
        assertThat(told(entitled("depot", "{'depot.max_racks': 2}"))).isEqualTo("422 policy_invalid");

        var key = policyKey("integer")
                .put("product_id", "depot")
                .put("merge", "minimum")
                .put("default", 8);
        key.withArray("scope").add("entitlement");
        calls.put("policy", "depot.max_racks", key).expect(200);
        calls.move("policy", "depot.max_racks", "active").expect(200);
        var unit = Json.object()
                .put("product_id", "depot")
                .put("owner", "metering")
                .put("display_name", "Rack hours")
                .put("unit", "h")
                .put("precision", 3)
                .put("rating_category", "racks");
        calls.put("usage_unit", "rack_hour", unit).expect(200);
        calls.move("usage_unit", "rack_hour", "active").expect(200);
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
            eventually(() -> assertThat(calls.audits("registry.write", id)).hasSize(2));
        }
        assertThat(calls.launchability("depot", Demo.PROJECT)).isEqualTo("true null");
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
    void draft_isKeptFromTheSecondOfTwoWriters_andFromAWrongShape() {
        admin.call("createApp").body(app("drafted", "apps")).send().expect(201);
        var wrong = manifest("drafted", "1.0.0").put("surprise", 1).put("app", "another");
        assertThat(fields(calls.register("drafted", wrong).expect(400))).containsExactly("/manifest/surprise");
        var draft = calls.register("drafted", manifest("drafted", "1.0.0")).expect(201);
        assertThat(fields(
                        calls.register("drafted", manifest("drafted", "1.0.0")).expect(409)))
                .containsExactly("/manifest/version");

        var mine = manifest("drafted", "1.0.0").put("summary", "mine");
        calls.replace("drafted", "1.0.0", mine, draft.text("manifest_digest")).expect(200);
        var theirs = manifest("drafted", "1.0.0").put("summary", "theirs");

        assertThat(told(calls.replace("drafted", "1.0.0", theirs, draft.text("manifest_digest"))))
                .isEqualTo("412 precondition_failed");
        var kept =
                version(admin, "getVersionForAdmin", "drafted", "1.0.0").send().expect(200);
        assertThat(kept.body().at("/manifest/summary").asText()).isEqualTo("mine");
        assertThat(fields(calls.replace("drafted", "1.0.0", manifest("drafted", "1.0.1"), null)
                        .expect(400)))
                .containsExactly("/manifest/version");
        version(admin, "retireAppVersion", "drafted", "1.0.0").send().expect(200);
        calls.assertUnseen("drafted", "1.0.0");
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
        calls.register(Demo.APP, manifest(Demo.APP, "2.0.0")).expect(201);
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
        calls.register("contended", manifest("contended", "1.0.0")).expect(201);
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
        calls.put("usage_unit", "stamped_hour", hours).expect(200);
        calls.move("usage_unit", "stamped_hour", "active").expect(200);
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

        calls.put("usage_unit", "stamped_hour", hours.put("precision", 3), "*").expect(200);
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
        calls.register(slug, manifest).expect(201);
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

    private static String effects() {
        return platform.database().query("""
                SELECT concat_ws(' ', (SELECT count(*) FROM catalog.registry_versions),
                    (SELECT sum(revision) FROM catalog.app_catalog), (SELECT sum(revision) FROM catalog.app_versions))
                """);
    }
}
