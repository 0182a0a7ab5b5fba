package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeploymentTest {
    private static final String CUSTOMERS = """
            {"manifest": {"version": "1", "metadata": {"source": "crm"}},
             "objects": [
               {"name": "customer", "fields": [
                 {"name": "name", "type": "text", "required": true},
                 {"name": "score", "type": "integer", "default_value": 1}],
                "indexes": [{"name": "by_name", "fields": ["name"]}]},
               {"name": "invoice", "fields": [
                 {"name": "number", "type": "text", "unique": true},
                 {"name": "customer", "type": "reference", "reference": "customer"}]}],
             "views": [{"name": "all_customers", "object": "customer", "columns": ["name"]}],
             "seed_data": [
               {"object": "customer", "external_id": "c1", "values": {"name": "Ada", "score": 7}},
               {"object": "invoice", "external_id": "i1", "values": {"number": "A-1", "customer": "c1"}}]}
            """;
    private static final String WITHOUT_SCORE = """
            {"manifest": {"version": "2"},
             "objects": [
               {"name": "customer", "fields": [
                 {"name": "name", "type": "text", "required": true, "unique": true},
                 {"name": "email", "type": "text"}],
                "indexes": [{"name": "by_email", "fields": ["email"]}]}]}
            """;

    private DeploymentFixture fixture;

    @BeforeAll
    void start() {
        fixture = new DeploymentFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static ObjectNode json(String text) {
        return Json.parseStoredObject(text);
    }

    private static ObjectNode allowBreaking() {
        return Json.object().put("allow_breaking", true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    @Proves({"4.05", "4.08", "4.22", "4.29", "4.30", "4.33"})
    void deploy_createsTablesAndSeeds_andRollbackRestoresTheSchema(String isolationLevel) {
        var tenant = fixture.tenants.createTenant(isolationLevel);
        var empty = fixture.schema(tenant);

        var first = fixture.deploy(tenant, json(CUSTOMERS));
        assertThat(first.path("error").isNull()).as("%s", first.path("error")).isTrue();
        assertThat(first.path("status").asText()).isEqualTo("ready");
        assertThat(first.at("/metadata/source").asText()).isEqualTo("crm");
        assertThat(first.path("seeded_records").asInt()).isEqualTo(2);
        assertThat(first.path("statements_executed").asInt())
                .isEqualTo(first.at("/plan/statements").size());
        assertThat(fixture.query(
                        tenant,
                        "SELECT c.name || c.score || i.number FROM " + table(tenant, "customer") + " c JOIN "
                                + table(tenant, "invoice") + " i ON i.customer = c.id"))
                .isEqualTo("Ada7A-1");
        var deployed = fixture.schema(tenant);

        var second = fixture.deploy(tenant, json(WITHOUT_SCORE), allowBreaking());
        assertThat(second.path("error").isNull()).as("%s", second.path("error")).isTrue();
        assertThat(fixture.schema(tenant))
                .contains("customer.email text", "by_email")
                .doesNotContain("invoice");
        assertThat(second.path("unrestorable"))
                .extracting(item -> item.asText())
                .containsExactly("customer.score", "invoice");

        var undone = fixture.rollBack(tenant, second);
        assertThat(undone.path("status").asText()).isEqualTo("failed");
        assertThat(undone.path("rolled_back_at").isNull()).isFalse();
        assertThat(fixture.schema(tenant))
                .isEqualTo(deployed.replace("customer.score bigint YES '1'::bigint", "customer.score bigint YES "));
        assertThat(fixture.query(tenant, "SELECT name FROM " + table(tenant, "customer")))
                .isEqualTo("Ada");
        assertThat(fixture.query(tenant, "SELECT count(*) FROM " + table(tenant, "invoice")))
                .isEqualTo("0");

        fixture.rollBack(tenant, first);
        assertThat(fixture.schema(tenant)).isEqualTo(empty);
    }

    private static String table(Tenant tenant, String object) {
        return tenant.names().table(object);
    }

    @Test
    void deploy_isRefused_whenBundleIsInvalid_andNothingIsQueued() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var bundle = json("""
                {"manifest": {"version": "1"}, "objects": [{"name": "a", "fields": [{"name": "b", "type": "reference", "reference": "c"}]}]}
                """);

        var problem = fixture.refusal(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", bundle));

        assertThat(problem.code().code()).isEqualTo("bundle_invalid");
        assertThat(problem.details().at("/fields/0/field").asText()).isEqualTo("/objects/0/fields/0/reference");
        assertThat(fixture.call(tenant, fixture.api::list, Map.of(), null).path("items"))
                .isEmpty();
    }

    @Test
    void deploy_isRefused_whenChecksumDiffers() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var bundle = json(CUSTOMERS);
        bundle.withObject("/manifest").put("checksum", "sha256:" + "0".repeat(64));

        var problem = fixture.refusal(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", bundle));

        assertThat(problem.code().code()).isEqualTo("bundle_invalid");
        assertThat(problem.details().at("/fields/0/field").asText()).isEqualTo("/manifest/checksum");
    }

    @Test
    void deploy_isAccepted_whenChecksumIsThatOfThePlan_andRepeatedBundleIsTheSameDeployment() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var bundle = json(CUSTOMERS);
        var plan = fixture.call(tenant, fixture.api::plan, Map.of(), bundle);
        bundle.withObject("/manifest").put("checksum", plan.path("checksum").asText());

        var first = fixture.deploy(
                tenant,
                bundle,
                Json.object().put("plan_hash", plan.path("plan_hash").asText()));
        var second = fixture.deploy(tenant, json(CUSTOMERS));

        assertThat(first.path("status").asText()).isEqualTo("ready");
        assertThat(second.path("deployment_id")).isEqualTo(first.path("deployment_id"));
    }

    @Test
    @Proves({"4.21", "4.31", "4.32"})
    void plan_listsDifferencesAndStatements_andChangesNothing() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        fixture.deploy(tenant, json(CUSTOMERS));
        var before = fixture.schema(tenant);

        var plan = fixture.call(tenant, fixture.api::plan, Map.of(), json(WITHOUT_SCORE));

        assertThat(plan.at("/diff/has_breaking_changes").asBoolean()).isTrue();
        assertThat(plan.at("/plan/reversible").asBoolean()).isFalse();
        assertThat(plan.at("/plan/statements"))
                .allSatisfy(statement ->
                        assertThat(statement.path("rollback_sql").isTextual()).isTrue());
        assertThat(plan.at("/plan/statements").findValuesAsText("transactional"))
                .contains("false");
        assertThat(fixture.schema(tenant)).isEqualTo(before);
    }

    @Test
    void deploy_fails_whenPlanHasAnotherHash() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var hash = fixture.call(tenant, fixture.api::plan, Map.of(), json(WITHOUT_SCORE))
                .path("plan_hash");
        fixture.deploy(tenant, json(CUSTOMERS));
        var before = fixture.schema(tenant);

        var deployment =
                fixture.deploy(tenant, json(WITHOUT_SCORE), allowBreaking().set("plan_hash", hash));

        assertThat(deployment.path("status").asText()).isEqualTo("failed");
        assertThat(deployment.path("error").asText()).contains("The plan has changed");
        assertThat(fixture.schema(tenant)).isEqualTo(before);
    }

    @Test
    void deploy_fails_whenChangeIsBreaking_unlessAllowed() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        fixture.deploy(tenant, json(CUSTOMERS));
        var before = fixture.schema(tenant);

        var deployment = fixture.deploy(tenant, json(WITHOUT_SCORE));

        assertThat(deployment.path("status").asText()).isEqualTo("failed");
        assertThat(deployment.path("error").asText()).contains("allow_breaking");
        assertThat(fixture.schema(tenant)).isEqualTo(before);
    }

    @Test
    void deploy_undoesEverything_whenAnIndexCannotBeBuilt() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        fixture.deploy(tenant, json(CUSTOMERS));
        fixture.query(tenant, "INSERT INTO customer (name) VALUES ('Ada') RETURNING name");
        var before = fixture.schema(tenant);
        var bundle = json(CUSTOMERS);
        bundle.withObject("/manifest").put("version", "2");
        ((ObjectNode) bundle.at("/objects/0"))
                .withArray("indexes")
                .addObject()
                .put("name", "one_name")
                .put("unique", true)
                .putArray("fields")
                .add("name");
        ((ObjectNode) bundle.at("/objects/0"))
                .withArray("fields")
                .addObject()
                .put("name", "nick")
                .put("type", "text");

        var deployment = fixture.deploy(tenant, bundle, allowBreaking());

        assertThat(deployment.path("status").asText()).isEqualTo("failed");
        assertThat(deployment.path("error").asText()).contains("one_name");
        assertThat(fixture.schema(tenant)).isEqualTo(before);
    }

    @Test
    void deploy_doesNotRunSqlOfABundle() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var bundle = json("""
                {"manifest": {"version": "1'; DROP SCHEMA public; --"},
                 "objects": [{"name": "note", "label": "x\\"; DROP TABLE note; --", "fields": [
                   {"name": "body", "type": "text", "default_value": "'); DROP TABLE note; --"}]}],
                 "seed_data": [{"object": "note", "external_id": "n'1", "values": {"body": "'; DROP TABLE note; --"}},
                   {"object": "note", "external_id": "n2", "values": {}}]}
                """);

        assertThat(fixture.deploy(tenant, bundle).path("status").asText()).isEqualTo("ready");
        assertThat(fixture.query(tenant, "SELECT string_agg(body, ' ' ORDER BY external_id) FROM note"))
                .isEqualTo("'; DROP TABLE note; -- '); DROP TABLE note; --");
    }

    @Test
    @Proves({"4.16", "4.18"})
    void deploy_isRefused_whenThePlanAllowsNoMore() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var bundle = json("{\"manifest\": {\"version\": \"1\"}}");
        for (var i = 0; i < 21; i++) {
            bundle.withArray("objects").addObject().put("name", "o" + i);
        }

        var objects = fixture.refusal(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", bundle));
        assertThat(objects.code().code()).isEqualTo("quota_exceeded");

        TenantsFixture.await(fixture.tenants
                .service
                .transactions()
                .query("UPDATE tenant_usage SET deployments_today = 20, deployments_day = current_date")
                .execute());
        var deployments = fixture.refusal(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", json(CUSTOMERS)));
        assertThat(deployments.code().code()).isEqualTo("quota_exceeded");
        assertThat(deployments.message()).contains("per day");
    }

    @Test
    void get_isNotFound_whenOrganizationIsAnother() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var deployment = fixture.deploy(tenant, json(CUSTOMERS));
        var id = Map.of("deployment_id", deployment.path("deployment_id").asText());
        var body = Json.object().set("bundle", json(CUSTOMERS));

        assertThat(fixture.denialOfForeignCaller(tenant, fixture.api::get, id, null))
                .isEqualTo("deployment_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.api::rollBack, id, null))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.api::list, Map.of(), null))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.api::plan, Map.of(), json(CUSTOMERS)))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.denialOfForeignCaller(tenant, fixture.api::create, Map.of(), body))
                .isEqualTo("tenant_not_found");
    }

    @Test
    void rollBack_isRefused_whenALaterDeploymentExists() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        var first = fixture.deploy(tenant, json(CUSTOMERS));
        fixture.deploy(tenant, json(WITHOUT_SCORE), allowBreaking());
        var id = Map.of("deployment_id", first.path("deployment_id").asText());

        assertThat(fixture.refusal(tenant, fixture.api::rollBack, id, null)
                        .code()
                        .code())
                .isEqualTo("rollback_not_possible");
    }
}
