package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.deployment.BundleJson.ContentBody;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.Map;
import java.util.UUID;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Continues deployments whose process ended in the middle of a step: the effect in the tenant's database is committed, and the step itself is
 * not recorded. Each test puts both databases into that state and lets another worker continue.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeploymentRecoveryTest {
    private static final String BUNDLE = """
            {"manifest": {"version": "1"},
             "objects": [{"name": "note", "fields": [{"name": "body", "type": "text"}]}],
             "seed_data": [{"object": "note", "external_id": "n1", "values": {"body": "first"}}]}
            """;
    private static final String WITH_INDEX = """
            {"manifest": {"version": "2"},
             "objects": [{"name": "note", "fields": [{"name": "body", "type": "text"}, {"name": "extra", "type": "text"}],
               "indexes": [{"name": "by_body", "fields": ["body"]}]}]}
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

    private static UUID id(JsonNode deployment) {
        return UUID.fromString(deployment.path("deployment_id").asText());
    }

    private static MigrationPlan plan(JsonNode deployment) {
        return Json.toRecord(deployment.path("plan"), MigrationPlan.class);
    }

    /** Sets the recorded state back, as if the process had ended before it was recorded. */
    private void setBack(JsonNode deployment, String status) {
        TenantsFixture.await(fixture.tenants
                .service
                .transactions()
                .preparedQuery("UPDATE deployments SET status = $2, completed_at = NULL WHERE deployment_id = $1")
                .execute(Tuple.of(id(deployment), status)));
    }

    private JsonNode continued(Tenant tenant, JsonNode deployment) {
        fixture.replaceWorker();
        return fixture.awaitEnd(tenant, deployment);
    }

    private static ObjectNode json(String text) {
        return Json.parseStoredObject(text);
    }

    @Test
    void migrating_isNotRepeated_whenItsTransactionWasCommitted() {
        var tenant = fixture.tenants.createTenant("isolated_db");
        fixture.deploy(tenant, json(BUNDLE));
        var second = fixture.deploy(tenant, json(WITH_INDEX));
        var schema = fixture.schema(tenant);

        setBack(second, "migrating");
        var ended = continued(tenant, second);

        assertThat(ended.path("status").asText())
                .as(ended.path("error").asText())
                .isEqualTo("ready");
        assertThat(fixture.schema(tenant)).isEqualTo(schema);
    }

    @Test
    void migrating_buildsTheIndexAgain_whenItWasInterrupted() {
        var tenant = fixture.tenants.createTenant("isolated_db");
        fixture.deploy(tenant, json(BUNDLE));
        var second = fixture.deploy(tenant, json(WITH_INDEX));
        var schema = fixture.schema(tenant);
        fixture.query(tenant, "DROP INDEX note_by_body_idx");

        setBack(second, "migrating");

        assertThat(continued(tenant, second).path("status").asText()).isEqualTo("ready");
        assertThat(fixture.schema(tenant)).isEqualTo(schema);
    }

    @Test
    void registering_seedsOnce_whenItIsRepeated() {
        var tenant = fixture.tenants.createTenant("isolated_db");
        var deployment = fixture.deploy(tenant, json(BUNDLE));
        TenantsFixture.await(fixture.executor.seed(
                tenant, Json.toRecord(json(BUNDLE), ContentBody.class).content()));

        setBack(deployment, "registering");

        assertThat(continued(tenant, deployment).path("status").asText()).isEqualTo("ready");
        assertThat(fixture.query(tenant, "SELECT count(*) FROM note")).isEqualTo("1");
    }

    @Test
    void rollingBack_isNotRepeated_whenItsTransactionWasCommitted() {
        var tenant = fixture.tenants.createTenant("isolated_db");
        var first = fixture.deploy(tenant, json(BUNDLE));
        var before = fixture.schema(tenant);
        var second = fixture.deploy(tenant, json(WITH_INDEX));
        TenantsFixture.await(fixture.executor.rollBack(tenant, id(second), plan(second)));

        setBack(second, "rolling_back");
        var ended = continued(tenant, second);

        assertThat(ended.path("rolled_back_at").isNull()).isFalse();
        assertThat(fixture.schema(tenant)).isEqualTo(before);
        assertThat(fixture.call(
                                tenant,
                                fixture.api::get,
                                Map.of("deployment_id", id(first).toString()),
                                null)
                        .path("status")
                        .asText())
                .isEqualTo("ready");
    }

    /** The suspension does not wait for the migration, which is undone afterwards although the tenant is suspended. */
    @Test
    void suspension_endsADeployment_thatMigrates() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        fixture.deploy(tenant, json(BUNDLE));
        var before = fixture.schema(tenant);
        var holder = TenantsFixture.await(PgConnection.connect(
                fixture.tenants.vertx,
                fixture.tenants
                        .settings
                        .administratorOptions()
                        .setDatabase(tenant.names().database())));
        var lock = "SELECT pg_advisory_lock(hashtextextended('" + tenant.id() + "', 0))";
        TenantsFixture.await(holder.query(lock).execute());
        var queued = fixture.call(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", json(WITH_INDEX)));
        eventually(() -> assertThat(fixture.tenants.database.query(
                        "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                                + " WHERE locktype = 'advisory' AND NOT granted AND datname = '"
                                + tenant.names().database() + "'"))
                .isEqualTo("1"));

        var suspended = fixture.call(tenant, fixture.tenants.api::suspend, Map.of(), Json.object());
        TenantsFixture.await(holder.close());

        assertThat(suspended.path("status").asText()).isEqualTo("suspended");
        var ended = fixture.awaitEnd(tenant, queued);
        assertThat(ended.path("status").asText()).isEqualTo("failed");
        assertThat(ended.path("error").asText()).contains("not active");
        assertThat(ended.path("rolled_back_at").isNull()).isFalse();
        assertThat(fixture.schema(tenant)).isEqualTo(before);
    }

    /** Both pass the check of the request; the second fails when the first is deployed. */
    @Test
    void deployments_thatAreQueuedTogether_doNotExceedTheNumberOfObjects() {
        var tenant = fixture.tenants.createTenant("isolated_schema");
        fixture.entitle(tenant.orgId(), "many");
        fixture.stopWorker();
        var bundle = Json.object();
        bundle.putObject("manifest").put("version", "1");
        var app = Json.object().put("name", "many").put("version", "1.0.0");
        for (var i = 0; i < 11; i++) {
            bundle.withArray("objects").addObject().put("name", "o" + i);
            app.withArray("objects").addObject().put("name", "p" + i);
        }
        var first = fixture.call(
                tenant, fixture.api::create, Map.of(), Json.object().set("bundle", bundle));
        var second = fixture.call(
                tenant,
                fixture.apps::install,
                Map.of(),
                Json.object().put("app_slug", "many").set("manifest", app));

        fixture.replaceWorker();

        assertThat(fixture.awaitEnd(tenant, first).path("status").asText()).isEqualTo("ready");
        var refused = fixture.awaitEnd(tenant, second);
        assertThat(refused.path("status").asText()).isEqualTo("failed");
        assertThat(refused.path("error").asText()).contains("22 objects");
    }

    @Test
    void deployments_ofOneTenant_runInOrder_whenManyAreQueued() {
        var tenant = fixture.tenants.createTenant("isolated_db");
        JsonNode last = Json.object();
        for (var i = 1; i <= 5; i++) {
            var bundle = json(BUNDLE);
            bundle.withObject("/manifest").put("version", String.valueOf(i));
            ((ObjectNode) bundle.at("/objects/0"))
                    .withArray("fields")
                    .addObject()
                    .put("name", "f" + i)
                    .put("type", "text");
            last = fixture.call(
                    tenant,
                    fixture.api::create,
                    Map.of(),
                    Json.object().put("allow_breaking", true).set("bundle", bundle));
        }

        assertThat(fixture.awaitEnd(tenant, last).path("status").asText()).isEqualTo("ready");
        assertThat(fixture.schema(tenant)).contains("note.f5 text").doesNotContain("note.f4");
        assertThat(fixture.call(tenant, fixture.api::list, Map.of(), null).findValuesAsText("status"))
                .containsOnly("ready");
    }
}
