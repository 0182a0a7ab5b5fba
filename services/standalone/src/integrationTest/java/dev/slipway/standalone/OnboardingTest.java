package dev.slipway.standalone;

import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.EventTap.ObservedRecord;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.util.List;

import static dev.slipway.standalone.CatalogCalls.app;
import static dev.slipway.standalone.CatalogCalls.entry;
import static dev.slipway.standalone.CatalogCalls.fields;
import static dev.slipway.standalone.CatalogCalls.manifest;
import static dev.slipway.standalone.CatalogCalls.manifestBody;
import static dev.slipway.standalone.CatalogCalls.policyKey;
import static dev.slipway.standalone.CatalogCalls.problems;
import static dev.slipway.standalone.CatalogCalls.texts;
import static dev.slipway.standalone.CatalogCalls.version;
import static dev.slipway.standalone.TenantCalls.statusAndCode;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Onboarding of products and apps, through the API. */
class OnboardingTest extends CatalogTestBase {
    @Test
    @Proves({"1.62", "C.20"})
    void adminOperations_areDenied_toTenants() {
        for (var who : List.of("tenant_owner", "tenant_admin", "project_owner", "project_member", "service_account")) {
            var caller = platform.as(who);
            assertThat(statusAndCode(caller.call("putRegistryEntry")
                            .path("kind", "product")
                            .path("entry_id", "apps")
                            .body(entry(
                                    Json.object().put("display_name", "Mine").put("owner", "me")))
                            .send()))
                    .isEqualTo("403 insufficient_permissions");
            assertThat(statusAndCode(
                            caller.call("createApp").body(app("theirs", "apps")).send()))
                    .isEqualTo("403 insufficient_permissions");
            for (var operation : List.of("publishAppVersion", "disableAppVersion", "retireAppVersion")) {
                assertThat(statusAndCode(version(caller, operation, DemoData.APP, DemoData.VERSION)
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

    /** Onboards a third-party product; artifacts and entitlements have their own tests. */
    @Test
    @Proves({"1.20", "1.43", "1.44", "2.70"})
    void product_isOnboardedAndRetired_withItsManifestOnly() {
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
        assertThat(statusAndCode(
                        admin.call("createApp").body(app("acme-db", "acme")).send()))
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
        var validated = admin.call("validateManifest")
                .body(manifestBody(manifest))
                .send()
                .expect(200);
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
        calls.assertInvisible("acme-db", "1.0.0");

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
        assertThat(statusAndCode(calls.replace(
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
        assertThat(statusAndCode(
                        version(admin, "retireAppVersion", "acme-db", "1.0.0").send()))
                .isEqualTo("409 state_conflict");
        version(admin, "disableAppVersion", "acme-db", "1.0.0").send().expect(200);
        version(admin, "retireAppVersion", "acme-db", "1.0.0").send().expect(200);
        assertThat(statusAndCode(
                        version(admin, "publishAppVersion", "acme-db", "1.0.0").send()))
                .isEqualTo("409 state_conflict");

        eventually(() -> assertThat(platform
                        .events()
                        .find(observedRecord -> observedRecord
                                        .payload()
                                        .path("app_slug")
                                        .asText()
                                        .equals("acme-db")
                                && observedRecord.topic().equals("catalog.events"))
                        .stream()
                        .map(ObservedRecord::type))
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

    /** Onboards an inventory product: the platform knows only its registered entries. */
    @Test
    @Proves({"3.09", "3.24"})
    void product_composesPolicyEntitlementUnitsAndAudit_throughRegistries() {
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
        var audited = Json.object()
                .put("product_id", "depot")
                .put("target_type", "rack")
                .put("retention_class", "standard")
                .put("privileged", false);
        calls.put("audit_action", "depot.rack.reserve", audited).expect(200);
        calls.move("audit_action", "depot.rack.reserve", "active").expect(200);
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

        platform.awaitReplication();
        var published =
                version(admin, "publishAppVersion", "depot", "1.0.0").send().expect(200);
        assertThat(statusAndCode(entitled("depot", "{'depot.min_racks': 2}"))).isEqualTo("422 policy_invalid");
        var entitlement = entitled("depot", "{'depot.max_racks': 2}").expect(200);

        var effective = platform.as("tenant_owner")
                .call("getEffectivePolicy")
                .path("project_id", DemoData.PROJECT)
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
        for (var id : List.of(
                "product:depot", "policy:depot.max_racks", "usage_unit:rack_hour", "audit_action:depot.rack.reserve")) {
            eventually(() -> assertThat(calls.audits("registry.write", id)).hasSize(2));
        }
        assertThat(calls.launchability("depot", DemoData.PROJECT)).isEqualTo("true null");
    }

    /** Onboards a terminal product, which opens sessions with a service account. */
    @Test
    @Proves("3.25")
    void terminalProduct_composesShortLivedCredentialsAuditAndStatus() {
        calls.put(
                        "product",
                        "terminal",
                        Json.object().put("display_name", "Terminal").put("owner", "terminal inc"))
                .expect(200);
        calls.move("product", "terminal", "active").expect(200);
        var audited = Json.object()
                .put("product_id", "terminal")
                .put("target_type", "session")
                .put("retention_class", "standard")
                .put("privileged", false);
        calls.put("audit_action", "terminal.session.open", audited).expect(200);
        calls.move("audit_action", "terminal.session.open", "active").expect(200);
        platform.awaitReplication();
        var account = CredentialCalls.createAccount(platform, DemoData.PROJECT, "audit.entry.write");
        var credential = CredentialCalls.createCredential(platform, DemoData.PROJECT, account);
        var exchanged = CredentialCalls.exchange(platform, "exchangeServiceAccountToken", credential)
                .send()
                .expect(200);
        var token = exchanged.text("access_token");
        assertThat(exchanged.body().path("expires_in").asInt()).isEqualTo(600);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("200 "));

        var entry = platform.anonymous()
                .as(token)
                .call("writeProjectAuditEntry")
                .path("project_id", DemoData.PROJECT)
                .body(Json.object()
                        .put("action", "terminal.session.open")
                        .put("target_type", "session")
                        .put("target_id", "s-1")
                        .put("result", "success"))
                .send()
                .expect(202)
                .text("id");

        eventually(() -> assertThat(platform.as("project_owner")
                        .call("getProjectAuditEntry")
                        .path("project_id", DemoData.PROJECT)
                        .path("audit_entry_id", entry)
                        .send()
                        .expect(200)
                        .body()
                        .at("/actor/principal_id")
                        .asText())
                .isEqualTo(account));
        assertThat(CredentialCalls.listInstances(platform, token)).isEqualTo("403 insufficient_permissions");
        eventually(() -> assertThat(platform.anonymous()
                        .call("getPublicStatus")
                        .send()
                        .expect(200)
                        .body()
                        .path("components")
                        .findValuesAsText("status"))
                .isNotEmpty());
        platform.as("tenant_owner")
                .call("revokeServiceAccountCredential")
                .path("project_id", DemoData.PROJECT)
                .path("service_account_id", account)
                .path("credential_id", credential.text("credential_id"))
                .send()
                .expect(200);
        eventually(() -> assertThat(CredentialCalls.me(platform, token)).isEqualTo("401 token_revoked"));
    }

    private static ApiResponse entitled(String slug, String overrides) {
        var body = Json.object().put("enabled", true);
        body.set("policy_overrides", PolicyCalls.json(overrides));
        return platform.as("tenant_owner")
                .call("putAppEntitlement")
                .path("project_id", DemoData.PROJECT)
                .path("app_slug", slug)
                .body(body)
                .send();
    }
}
