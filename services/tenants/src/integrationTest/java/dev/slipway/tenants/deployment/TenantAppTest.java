package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.Map;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantAppTest {
    private static final String CRM = """
            {"name": "crm", "version": "1.0.0", "label": "Customers", "min_kernel_version": "3.0.0",
             "objects": [{"name": "contact", "fields": [{"name": "email", "type": "text", "unique": true}]}],
             "views": [{"name": "contacts", "object": "contact"}],
             "seed_data": [{"object": "contact", "external_id": "c1", "values": {"email": "ada@example.com"}}]}
            """;

    private DeploymentFixture fixture;
    private Tenant tenant;

    @BeforeAll
    void start() {
        fixture = new DeploymentFixture();
        fixture.entitle(TenantsFixture.ORG, "crm");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    @BeforeEach
    void createTenant() {
        tenant = fixture.tenants.createTenant("isolated_schema");
    }

    private static ObjectNode manifest() {
        return Json.parseStoredObject(CRM);
    }

    private static ObjectNode installation(ObjectNode manifest) {
        return Json.object().put("app_slug", "crm").set("manifest", manifest);
    }

    @CanIgnoreReturnValue
    private JsonNode install(ObjectNode manifest) {
        var queued = fixture.call(tenant, fixture.apps::install, Map.of(), installation(manifest));
        assertThat(queued.path("status").asText()).isEqualTo("installing");
        return awaitApp(manifest.path("name").asText());
    }

    private JsonNode awaitApp(String name) {
        var path = Map.of("app_name", name);
        eventually(() -> assertThat(fixture.call(tenant, fixture.apps::get, path, null)
                        .path("status")
                        .asText())
                .isIn("installed", "uninstalled", "failed"));
        return fixture.call(tenant, fixture.apps::get, path, null);
    }

    private String refusedInstallation(ObjectNode manifest, String appSlug) {
        var body = installation(manifest).put("app_slug", appSlug);
        return fixture.refusal(tenant, fixture.apps::install, Map.of(), body)
                .code()
                .code();
    }

    @Test
    @Proves({"4.06", "4.34", "4.35"})
    void install_createsTablesAndSeeds() {
        var app = install(manifest());

        assertThat(app.path("status").asText()).as(app.toString()).isEqualTo("installed");
        assertThat(app.path("success").asBoolean()).isTrue();
        assertThat(app.at("/installed_objects/0").asText()).isEqualTo("contact");
        assertThat(app.at("/created_tables/0").asText()).isEqualTo("contact");
        assertThat(app.path("seeded_records").asInt()).isEqualTo(1);
        assertThat(app.path("label").asText()).isEqualTo("Customers");
        assertThat(fixture.query(tenant, "SELECT email FROM contact")).isEqualTo("ada@example.com");
        assertThat(refusedInstallation(manifest(), "crm")).isEqualTo("tenant_app_exists");
    }

    @Test
    void install_isRefused_whenNoProjectIsEntitled() {
        assertThat(refusedInstallation(manifest(), "other")).isEqualTo("app_not_entitled");
        assertThat(fixture.call(tenant, fixture.apps::list, Map.of(), null).path("items"))
                .isEmpty();
    }

    @Test
    @Proves("4.36")
    void checkCompatibility_namesEveryReason_andInstallIsRefused() {
        fixture.deploy(
                tenant,
                Json.parseStoredObject("{\"manifest\": {\"version\": \"1\"}, \"objects\": [{\"name\": \"contact\"}]}"));
        var manifest = manifest().put("min_kernel_version", "99.0.0");
        manifest.putArray("dependencies").add("base");
        for (var i = 0; i < 20; i++) {
            manifest.withArray("objects").addObject().put("name", "o" + i);
        }

        var result = fixture.call(tenant, fixture.apps::checkCompatibility, Map.of(), manifest);

        assertThat(result.path("compatible").asBoolean()).isFalse();
        assertThat(result.findValuesAsText("category"))
                .containsExactlyInAnyOrder("kernel_version", "object_conflict", "dependency_missing", "quota_exceeded");
        assertThat(refusedInstallation(manifest, "crm")).isEqualTo("app_incompatible");
    }

    @Test
    @Proves({"4.10", "4.24"})
    void upgradeAndUninstall_keepTables_unlessTheyAreDropped() {
        install(manifest());
        var next = manifest().put("version", "1.1.0");
        ((ObjectNode) next.at("/objects/0"))
                .withArray("fields")
                .addObject()
                .put("name", "phone")
                .put("type", "text");
        var path = Map.of("app_name", "crm");

        fixture.call(tenant, fixture.apps::upgrade, path, Json.object().set("manifest", next));
        var upgraded = awaitApp("crm");
        assertThat(upgraded.path("version").asText()).isEqualTo("1.1.0");
        assertThat(fixture.schema(tenant)).contains("contact.phone text");

        fixture.call(tenant, fixture.apps::uninstall, path, null);
        assertThat(awaitApp("crm").path("status").asText()).isEqualTo("uninstalled");
        assertThat(fixture.query(tenant, "SELECT email FROM contact")).isEqualTo("ada@example.com");

        var again = install(manifest().put("version", "1.2.0"));
        assertThat(again.path("status").asText()).isEqualTo("uninstalled");
        assertThat(again.path("success").asBoolean()).isFalse();
        assertThat(again.path("error").asText()).contains("contact.phone");
        assertThat(install(next.put("version", "1.3.0")).path("status").asText())
                .isEqualTo("installed");

        fixture.call(tenant, fixture.apps::uninstall, Map.of("app_name", "crm", "drop_tables", "true"), null);
        assertThat(awaitApp("crm").path("status").asText()).isEqualTo("uninstalled");
        assertThat(fixture.schema(tenant)).isEmpty();
    }

    @Test
    void uninstall_isRefused_whileAnotherAppDependsOnIt_orIfItIsUnknown() {
        install(manifest());
        var other = Json.parseStoredObject("""
                {"name": "sales", "version": "1.0.0", "dependencies": ["crm"],
                 "objects": [{"name": "deal", "fields": [{"name": "contact", "type": "reference", "reference": "contact"}]}]}
                """);
        assertThat(install(other).path("status").asText()).isEqualTo("installed");

        var refusal = fixture.refusal(tenant, fixture.apps::uninstall, Map.of("app_name", "crm"), null);
        assertThat(refusal.code().code()).isEqualTo("tenant_app_state_conflict");
        assertThat(fixture.refusal(tenant, fixture.apps::uninstall, Map.of("app_name", "unknown"), null)
                        .code()
                        .code())
                .isEqualTo("tenant_app_not_found");
    }

    @Test
    void everyOperation_isNotFound_whenOrganizationIsAnother() {
        install(manifest());
        var path = Map.of("app_name", "crm");

        assertThat(fixture.denialOfForeignCaller(tenant, fixture.apps::list, Map.of(), null))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.apps::get, path, null))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.apps::uninstall, path, null))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.apps::install, Map.of(), installation(manifest())))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.apps::checkCompatibility, Map.of(), manifest()))
                .isEqualTo("tenant_not_found");
    }
}
