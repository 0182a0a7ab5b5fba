package dev.slipway.standalone;

import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.entry;
import static dev.slipway.standalone.CatalogCalls.fields;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Drafts, releases and retirement of app versions, through the API. */
class VersionReleaseTest extends CatalogTestBase {
    @Test
    void replaceManifest_isRefused_whenDigestDiffersOrManifestIsMalformed() {
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

        assertThat(statusAndCode(calls.replace("drafted", "1.0.0", theirs, draft.text("manifest_digest"))))
                .isEqualTo("412 precondition_failed");
        var kept =
                version(admin, "getVersionForAdmin", "drafted", "1.0.0").send().expect(200);
        assertThat(kept.body().at("/manifest/summary").asText()).isEqualTo("mine");
        assertThat(admin.call("listVersionsForAdmin")
                        .query("app_slug=drafted")
                        .send()
                        .expect(200)
                        .body()
                        .path("items"))
                .singleElement()
                .isEqualTo(kept.body());
        assertThat(fields(calls.replace("drafted", "1.0.0", manifest("drafted", "1.0.1"), null)
                        .expect(400)))
                .containsExactly("/manifest/version");
        version(admin, "retireAppVersion", "drafted", "1.0.0").send().expect(200);
        calls.assertInvisible("drafted", "1.0.0");
    }

    @Test
    @Proves("C.02")
    void everyMutation_hasOneEffect_whenItsKeyIsRepeated() {
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
        twice.add(
                admin.call("registerAppVersion").path("app_slug", "twice").body(manifestBody(manifest("twice", "1"))));
        twice.add(version(admin, "replaceDraftManifest", "twice", "1")
                .body(manifestBody(manifest("twice", "1").put("summary", "better"))));
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
    void disabledVersion_cannotBeLaunched_norRetiredWhileInstancesRun() {
        calls.register(DemoData.APP, manifest(DemoData.APP, "2.0.0")).expect(201);
        version(admin, "publishAppVersion", DemoData.APP, "2.0.0").send().expect(200);
        eventually(() -> assertThat(launchable("2.0.0")).isEqualTo("active"));
        var running = launch("2.0.0").expect(202).text("id");

        version(admin, "disableAppVersion", DemoData.APP, "2.0.0").send().expect(200);
        eventually(() -> assertThat(launchable("2.0.0")).isEqualTo("disabled"));

        assertThat(statusAndCode(launch("2.0.0"))).isEqualTo("409 app_version_not_launchable");
        assertThat(platform.instance("getAppInstance", "project_owner", running)
                        .send()
                        .expect(200)
                        .text("status"))
                .isEqualTo("requested");
        eventually(() -> assertThat(version(admin, "getVersionForAdmin", DemoData.APP, "2.0.0")
                        .send()
                        .expect(200)
                        .body()
                        .path("instances")
                        .asInt())
                .isEqualTo(1));
        assertThat(statusAndCode(version(admin, "retireAppVersion", DemoData.APP, "2.0.0")
                        .send()))
                .isEqualTo("409 not_empty");
    }

    @Test
    void updateApp_isRefused_whenETagIsOutdated() {
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
    void instance_storesRegistryVersions_ofItsAppVersion() {
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
                .path("project_id", DemoData.PROJECT)
                .path("app_slug", "stamped")
                .body(Json.object().put("enabled", true))
                .send()
                .expect(200);
        platform.awaitReplication();
        var early = launch("stamped", "1.0.0").expect(202);

        calls.put("usage_unit", "stamped_hour", hours.put("precision", 3), "*").expect(200);
        publishedIn("stamped", "1.1.0", "stamped_hour");
        platform.awaitReplication();
        var late = launch("stamped", "1.1.0").expect(202);

        assertThat(List.of(stamp(early), stamp(shown(early)), stamp(late), stamp(shown(late))))
                .containsExactly(2, 2, 3, 3);
        var published =
                version(admin, "getVersionForAdmin", "stamped", "1.0.0").send().expect(200);
        assertThat(stamp(published)).isEqualTo(2);
        // Every registry that the manifest references, not only usage units.
        assertThat(published.body().path("registry_versions").has("scope")).isTrue();
        assertThat(shown(early).body().path("registry_versions"))
                .isEqualTo(published.body().path("registry_versions"));
    }

    private static void publishedIn(String slug, String version, String unit) {
        var manifest = manifest(slug, version);
        manifest.putArray("usage_units").add(unit);
        calls.register(slug, manifest).expect(201);
        version(admin, "publishAppVersion", slug, version).send().expect(200);
    }

    private static int stamp(ApiResponse apiResponse) {
        return apiResponse
                .body()
                .at("/registry_versions/usage_unit/stamped_hour")
                .asInt();
    }

    private static ApiResponse shown(ApiResponse launched) {
        return platform.instance("getAppInstance", "project_owner", launched.text("id"))
                .send()
                .expect(200);
    }

    @Test
    @Proves({"1.95", "1.96"})
    void tables_haveTheColumnsAndConstraintsOfTheModel() {
        assertThat(columns("app_catalog"))
                .contains(
                        "id uuid NO null",
                        "slug text NO null",
                        "display_name text NO null",
                        "category text NO null",
                        "publisher text NO null",
                        "status text NO null",
                        "created_at timestamp with time zone NO now()",
                        "updated_at timestamp with time zone NO now()");
        assertThat(columns("app_versions"))
                .contains(
                        "id uuid NO null",
                        "app_id uuid NO null",
                        "version text NO null",
                        "runtime_backend text NO null",
                        "manifest jsonb NO null",
                        "status text NO null",
                        "created_at timestamp with time zone NO now()");
        assertThat(constraints("app_catalog"))
                .contains(
                        "PRIMARY KEY (id)",
                        "UNIQUE (slug)",
                        "CHECK ((status = ANY (ARRAY['active'::text, 'deprecated'::text, 'disabled'::text])))");
        assertThat(constraints("app_versions"))
                .contains(
                        "PRIMARY KEY (id)",
                        "UNIQUE (app_id, version)",
                        "FOREIGN KEY (app_id) REFERENCES catalog.app_catalog(id) ON DELETE CASCADE",
                        "CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'deprecated'::text, 'disabled'::text, 'retired'::text])))");
    }

    @Test
    @Proves("1.97")
    void entitlements_haveTheColumnsAndConstraintsOfTheModel() {
        assertThat(columns("project_app_entitlements"))
                .contains(
                        "id uuid NO null",
                        "org_id uuid NO null",
                        "project_id uuid NO null",
                        "app_id uuid NO null",
                        "enabled boolean NO true",
                        "policy_overrides jsonb NO '{}'::jsonb",
                        "updated_by_user_id uuid YES null",
                        "created_at timestamp with time zone NO now()",
                        "updated_at timestamp with time zone NO now()")
                .filteredOn(column -> column.contains(" YES "))
                .hasSize(1);
        assertThat(constraints("project_app_entitlements"))
                .contains(
                        "PRIMARY KEY (id)",
                        "UNIQUE (project_id, app_id)",
                        "FOREIGN KEY (app_id) REFERENCES catalog.app_catalog(id) ON DELETE CASCADE",
                        "FOREIGN KEY (project_id, org_id) REFERENCES catalog.projects(id, org_id) ON DELETE CASCADE");
    }

    /** Returns name, type, nullability and default of each column. */
    private static List<String> columns(String table) {
        return platform.database()
                .query(
                        "SELECT string_agg(concat_ws(' ', column_name, data_type, is_nullable, coalesce(column_default, 'null')), chr(10))"
                                + " FROM information_schema.columns WHERE table_schema = 'catalog' AND table_name = '"
                                + table
                                + "'")
                .lines()
                .toList();
    }

    private static List<String> constraints(String table) {
        return platform.database()
                .query("SELECT string_agg(pg_get_constraintdef(oid), chr(10)) FROM pg_constraint"
                        + " WHERE conrelid = 'catalog." + table + "'::regclass")
                .lines()
                .toList();
    }

    private static String launchable(String version) {
        return platform.database()
                .query("SELECT status FROM instances.app_versions WHERE version = '" + version + "' AND app_id = '"
                        + DemoData.ECHO + "'");
    }

    private static ApiResponse launch(String version) {
        return launch(DemoData.APP, version);
    }

    private static ApiResponse launch(String slug, String version) {
        return platform.as("project_owner")
                .call("createAppInstance")
                .path("project_id", DemoData.PROJECT)
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
