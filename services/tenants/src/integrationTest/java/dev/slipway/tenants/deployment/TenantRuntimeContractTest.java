package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.ProtocolNames;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import io.vertx.sqlclient.SqlClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.Map;
import java.util.UUID;

import static dev.slipway.tenants.ProtocolNames.toCamelCase;
import static dev.slipway.tenants.ProtocolNames.toSnakeCase;
import static dev.slipway.tenants.TenantsFixture.ORG;
import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The four interfaces of the tenant runtime protocol by their own names, one after the other on one tenant. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantRuntimeContractTest {
    private DeploymentFixture fixture;

    /** Finds tenants and their clients. */
    private interface ITenantRouter {
        /** Returns null for an unknown tenant. */
        @Nullable
        JsonNode resolveTenant(Map<String, String> session);

        SqlClient getTenantClient(String tenantId);

        void invalidateCache(String tenantId);
    }

    /** Deploys bundles. */
    private interface IDeployPipelineService {
        JsonNode validateBundle(JsonNode bundle);

        JsonNode planDeployment(String tenantId, JsonNode bundle);

        JsonNode executeDeployment(String tenantId, JsonNode plan);

        void rollbackDeployment(String tenantId, String deploymentId);
    }

    /** Installs apps. */
    private interface IAppLifecycleService {
        JsonNode checkCompatibility(String tenantId, JsonNode manifest);

        JsonNode installApp(String tenantId, JsonNode manifest);

        JsonNode upgradeApp(String tenantId, JsonNode newManifest);

        JsonNode uninstallApp(String tenantId, String appId, boolean dropTables);
    }

    @BeforeAll
    void start() {
        fixture = new DeploymentFixture();
        fixture.entitle(ORG, "crm");
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private Tenant tenant(String id) {
        return fixture.tenants.find(UUID.fromString(id));
    }

    private ITenantRouter router() {
        return new ITenantRouter() {
            @Override
            public @Nullable JsonNode resolveTenant(Map<String, String> session) {
                var reply = fixture.tenants.callAs(
                        fixture.tenants.caller,
                        fixture.tenants.contexts::get,
                        Map.of(),
                        Map.of("strategy", "header"),
                        session,
                        null);
                return code(reply).equals("tenant_not_found") ? null : toCamelCase(json(reply));
            }

            @Override
            public SqlClient getTenantClient(String tenantId) {
                return await(fixture.tenants.router.getTenantClient(UUID.fromString(tenantId)));
            }

            @Override
            public void invalidateCache(String tenantId) {
                fixture.tenants.router.invalidateCache(UUID.fromString(tenantId));
            }
        };
    }

    private IDeployPipelineService pipeline(String anyTenantId) {
        return new IDeployPipelineService() {
            @Override
            public JsonNode validateBundle(JsonNode bundle) {
                return planDeployment(anyTenantId, bundle).path("validation");
            }

            @Override
            public JsonNode planDeployment(String tenantId, JsonNode bundle) {
                var planned =
                        toCamelCase(fixture.call(tenant(tenantId), fixture.api::plan, Map.of(), toSnakeCase(bundle)));
                return ((ObjectNode) planned).set("bundle", bundle);
            }

            @Override
            public JsonNode executeDeployment(String tenantId, JsonNode plan) {
                var options =
                        Json.object().put("plan_hash", plan.path("planHash").asText());
                return toCamelCase(
                        fixture.deploy(tenant(tenantId), (ObjectNode) toSnakeCase(plan.path("bundle")), options));
            }

            @Override
            public void rollbackDeployment(String tenantId, String deploymentId) {
                assertThat(fixture.rollBack(tenant(tenantId), Json.object().put("deployment_id", deploymentId))
                                .path("status")
                                .asText())
                        .isEqualTo("failed");
            }
        };
    }

    private IAppLifecycleService apps() {
        return new IAppLifecycleService() {
            @Override
            public JsonNode checkCompatibility(String tenantId, JsonNode manifest) {
                return toCamelCase(fixture.call(
                        tenant(tenantId), fixture.apps::checkCompatibility, Map.of(), toSnakeCase(manifest)));
            }

            @Override
            public JsonNode installApp(String tenantId, JsonNode manifest) {
                ObjectNode body = Json.object().put("app_slug", "crm").set("manifest", toSnakeCase(manifest));
                fixture.call(tenant(tenantId), fixture.apps::install, Map.of(), body);
                return awaitEnd(tenantId, manifest.path("name").asText());
            }

            @Override
            public JsonNode upgradeApp(String tenantId, JsonNode newManifest) {
                var name = newManifest.path("name").asText();
                fixture.call(
                        tenant(tenantId),
                        fixture.apps::upgrade,
                        Map.of("app_name", name),
                        Json.object().set("manifest", toSnakeCase(newManifest)));
                return awaitEnd(tenantId, name);
            }

            @Override
            public JsonNode uninstallApp(String tenantId, String appId, boolean dropTables) {
                fixture.call(
                        tenant(tenantId),
                        fixture.apps::uninstall,
                        Map.of("app_name", appId, "drop_tables", String.valueOf(dropTables)),
                        null);
                return awaitEnd(tenantId, appId);
            }
        };
    }

    private JsonNode awaitEnd(String tenantId, String app) {
        var path = Map.of("app_name", app);
        eventually(() -> assertThat(fixture.call(tenant(tenantId), fixture.apps::get, path, null)
                        .path("status")
                        .asText())
                .isIn("installed", "uninstalled", "failed"));
        return toCamelCase(fixture.call(tenant(tenantId), fixture.apps::get, path, null));
    }

    private static JsonNode bundle(String version, String... fields) {
        var bundle = Json.object();
        bundle.putObject("manifest").put("version", version);
        var object = bundle.putArray("objects").addObject().put("name", "account");
        for (var field : fields) {
            object.withArray("fields").addObject().put("name", field).put("type", "text");
        }
        return bundle;
    }

    private static ObjectNode app(String version) {
        var manifest = Json.object().put("name", "crm").put("version", version).put("minKernelVersion", "1.0.0");
        var object = manifest.putArray("objects").addObject().put("name", "contact");
        object.putArray("fields").addObject().put("name", "email").put("type", "text");
        ObjectNode seed = manifest.putArray("seedData")
                .addObject()
                .put("object", "contact")
                .put("externalId", "c1");
        seed.putObject("values").put("email", "ada@example.com");
        return manifest;
    }

    @Test
    @Proves({"4.01", "4.11", "4.19"})
    void protocol_isServed_fromProvisioningToUninstallation() {
        var key = Map.of("idempotency-key", "contract");
        var body = Json.object().put("isolation_level", "isolated_schema").put("plan", "free");
        var owner = fixture.tenants.caller;
        var created = json(fixture.tenants.callAs(owner, fixture.tenants.api::create, org(), Map.of(), key, body));
        var repeated = json(fixture.tenants.callAs(owner, fixture.tenants.api::create, org(), Map.of(), key, body));
        assertThat(repeated).isEqualTo(created);
        var id = created.path("id").asText();
        fixture.tenants.awaitStatus(UUID.fromString(id), "active");
        var status = ProtocolNames.provisioning(fixture.tenants).getTenantStatus(id);
        assertThat(status.path("steps"))
                .isNotEmpty()
                .allMatch(step -> step.path("status").asText().matches("completed|skipped"));
        assertThat(status.path("totalDurationMs").isIntegralNumber()).isTrue();

        assertRouted(id);
        assertDeployed(id);
        assertInstalled(id);

        var check = toCamelCase(json(await(fixture.tenants.usage.check(TenantsFixture.request(
                ORG, Map.of("tenant_id", id), Map.of("quota", "max_objects", "amount", "21"), null)))));
        assertThat(check.path("allowed").asBoolean()).isFalse();
        assertThat(check.path("exceededQuota").asText()).isEqualTo("max_objects");
        assertThat(check.path("limit").asInt()).isEqualTo(20);
    }

    private static Map<String, String> org() {
        return Map.of("org_id", ORG.toString());
    }

    private void assertRouted(String id) {
        var router = router();
        var context = router.resolveTenant(Map.of("x-tenant-id", id));
        assertThat(context.path("tenantId").asText()).isEqualTo(id);
        assertThat(context.path("tenantDbUrl").asText()).isNotEmpty();
        assertThat(router.resolveTenant(Map.of("x-tenant-id", UUID.randomUUID().toString())))
                .isNull();
        var client = router.getTenantClient(id);
        assertThat(router.getTenantClient(id)).isSameAs(client);
        router.invalidateCache(id);
        assertThat(router.getTenantClient(id)).isNotSameAs(client);
    }

    private void assertDeployed(String id) {
        var pipeline = pipeline(id);
        assertThat(pipeline.validateBundle(bundle("1", "name")).path("valid").asBoolean())
                .isTrue();
        var first = pipeline.executeDeployment(id, pipeline.planDeployment(id, bundle("1", "name")));
        assertThat(first.path("status").asText()).isEqualTo("ready");
        var before = fixture.schema(tenant(id));
        var second = pipeline.executeDeployment(id, pipeline.planDeployment(id, bundle("2", "name", "city")));
        assertThat(second.path("statementsExecuted").asInt()).isPositive();
        assertThat(fixture.schema(tenant(id))).contains("account.city");
        pipeline.rollbackDeployment(id, second.path("deploymentId").asText());
        assertThat(fixture.schema(tenant(id))).isEqualTo(before);
    }

    private void assertInstalled(String id) {
        var apps = apps();
        assertThat(apps.checkCompatibility(id, app("1.0.0")).path("compatible").asBoolean())
                .isTrue();
        var installed = apps.installApp(id, app("1.0.0"));
        assertThat(installed.path("createdTables").get(0).asText()).isEqualTo("contact");
        assertThat(installed.path("seededRecords").asInt()).isEqualTo(1);
        assertThat(apps.upgradeApp(id, app("1.1.0")).path("version").asText()).isEqualTo("1.1.0");
        assertThat(apps.uninstallApp(id, "crm", false).path("status").asText()).isEqualTo("uninstalled");
        assertThat(fixture.query(tenant(id), "SELECT email FROM contact")).isEqualTo("ada@example.com");
        assertThat(apps.installApp(id, app("1.2.0")).path("status").asText()).isEqualTo("installed");
        assertThat(apps.uninstallApp(id, "crm", true).path("success").asBoolean())
                .isTrue();
        assertThat(fixture.schema(tenant(id))).doesNotContain("contact");
    }
}
