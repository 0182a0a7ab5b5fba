package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.KillPoint;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.ChildProcess;
import io.vertx.pgclient.PgConnection;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Kills a process at a point of provisioning, deployment, rollback or destruction, and lets this process continue. */
final class KillScenarios implements AutoCloseable {
    private static final String FIRST = """
            {"manifest": {"version": "1"},
             "objects": [{"name": "note", "fields": [{"name": "body", "type": "text"}]}],
             "seed_data": [{"object": "note", "external_id": "n1", "values": {"body": "first"}}]}
            """;
    private static final String SECOND = """
            {"manifest": {"version": "2"},
             "objects": [{"name": "note", "fields": [{"name": "body", "type": "text"}, {"name": "extra", "type": "text", "default_value": "x"}],
               "indexes": [{"name": "by_body", "fields": ["body"]}]},
              {"name": "comment", "fields": [{"name": "note", "type": "reference", "reference": "note"}]}],
             "seed_data": [{"object": "note", "external_id": "n2", "values": {"body": "second"}}]}
            """;
    private static final String WITH_INDEX = """
            {"manifest": {"version": "2"},
             "objects": [{"name": "note", "fields": [{"name": "body", "type": "text"}], "indexes": [{"name": "by_body", "fields": ["body"]}]}]}
            """;

    private final Path directory;
    private final DeploymentFixture fixture = new DeploymentFixture();

    /** The moment of a step at which the process is killed: before its work, or after it and before its result is recorded. */
    enum Phase {
        START,
        END
    }

    KillScenarios(Path directory) {
        this.directory = directory;
    }

    private ChildProcess startProcess() {
        return new ChildProcess(
                directory,
                Map.of(),
                System.getProperty("java.class.path"),
                WorkerMain.class.getName(),
                fixture.tenants.database.url());
    }

    private void killAt(String event, String table, String condition, Runnable request) {
        try (var point = new KillPoint(fixture.tenants, event, table, condition)) {
            request.run();
            point.kill(startProcess());
        }
    }

    /** A tenant whose provisioning is interrupted becomes active, and works. */
    void provision(String level, Name step, Phase phase) {
        fixture.tenants.stopWorker();
        var name = step.text();
        var id = new UUID[1];
        killAt(
                "UPDATE",
                "provisioning_steps",
                "NEW.name = '" + name + "' AND NEW.status "
                        + (phase == Phase.START ? "IN ('running', 'skipped')" : "IN ('completed', 'skipped')"),
                () -> id[0] = fixture.tenants.requestTenant(level));
        fixture.tenants.restartWorker();

        var tenant = fixture.tenants.awaitStatus(id[0], "active");
        assertThat(fixture.deploy(tenant, bundle(FIRST)).path("status").asText())
                .isEqualTo("ready");
        assertThat(fixture.query(tenant, "SELECT body FROM \"" + tenant.names().table("note") + "\""))
                .isEqualTo("first");
    }

    /** A tenant whose destruction is interrupted is destroyed, with one dump. */
    void destroy(String level, String event, String table) {
        var tenant = deployed(level);
        fixture.tenants.stopWorker();
        killAt(
                event,
                table,
                "true",
                () -> json(await(fixture.tenants.api.delete(TenantsFixture.request(
                        TenantsFixture.ORG,
                        Map.of("tenant_id", tenant.id().toString()),
                        Map.of("grace_hours", "0", "final_dump", "true"),
                        null)))));
        fixture.tenants.restartWorker();

        eventually(() -> assertThat(await(fixture.tenants.tenants.find(TenantsFixture.ORG, tenant.id())))
                .isNull());
        assertThat(fixture.tenants.database.query("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'tenant_"
                        + tenant.id().toString().replace("-", "") + "%'"))
                .isEqualTo("0");
        assertThat(fixture.tenants.database.query(
                        "SELECT count(*) FROM tenants.tenant_dumps WHERE tenant_id = '" + tenant.id() + "'"))
                .isEqualTo("1");
    }

    private Tenant deployed(String level) {
        var tenant = fixture.tenants.createTenant(level);
        assertThat(fixture.deploy(tenant, bundle(FIRST)).path("status").asText())
                .isEqualTo("ready");
        return tenant;
    }

    /** A deployment that is interrupted in a step becomes ready, with the schema of one that is not. */
    void deploy(String level, String status, Phase phase) {
        var undisturbed = deployed(level);
        fixture.deploy(undisturbed, bundle(SECOND));
        var tenant = deployed(level);
        fixture.stopWorker();
        var queued = new JsonNode[1];
        killAt("UPDATE", "deployments", condition(status, phase), () -> queued[0] = queue(tenant, SECOND));

        assertReady(tenant, queued[0], undisturbed);
        assertThat(fixture.query(
                        tenant, "SELECT count(*) FROM \"" + tenant.names().table("note") + "\""))
                .isEqualTo("2");
    }

    /** A process that is killed while it builds an index leaves an invalid one, which is built again. */
    void buildIndex(String level) {
        var undisturbed = deployed(level);
        fixture.deploy(undisturbed, bundle(WITH_INDEX));
        var tenant = deployed(level);
        fixture.stopWorker();
        var queued = queue(tenant, WITH_INDEX);
        var table = "\"" + tenant.names().table("note") + "\"";
        var holder = connect(tenant);
        await(holder.query("BEGIN; SET search_path = \"" + tenant.names().schema() + "\"; LOCK TABLE " + table
                        + " IN ROW EXCLUSIVE MODE")
                .execute());
        var process = startProcess();
        var building = "pg_stat_activity WHERE datname = '" + tenant.names().database()
                + "' AND query LIKE 'CREATE%CONCURRENTLY%' AND wait_event_type = 'Lock'";
        eventually(() -> assertThat(fixture.tenants.database.query("SELECT count(*) FROM " + building))
                .as("%s", process.errors())
                .isEqualTo("1"));
        process.kill();
        fixture.tenants.database.execute("SELECT count(pg_terminate_backend(pid)) FROM " + building);
        await(holder.close());

        assertReady(tenant, queued, undisturbed);
        assertThat(fixture.query(tenant, "SELECT count(*) FROM pg_index WHERE NOT indisvalid"))
                .isEqualTo("0");
    }

    /** A rollback that is interrupted ends, with the schema from before the deployment. */
    void rollBack(String level, Phase phase) {
        var tenant = deployed(level);
        var before = fixture.schema(tenant);
        var deployment = fixture.deploy(tenant, bundle(SECOND));
        fixture.stopWorker();
        var id = Map.of("deployment_id", deployment.path("deployment_id").asText());
        killAt(
                "UPDATE",
                "deployments",
                condition("rolling_back", phase),
                () -> fixture.call(tenant, fixture.api::rollBack, id, null));

        fixture.replaceWorker();
        fixture.startWorker();
        var ended = fixture.awaitEnd(tenant, deployment);
        assertThat(ended.path("rolled_back_at").isNull()).as("%s", ended).isFalse();
        assertThat(fixture.schema(tenant)).isEqualTo(before);
        assertThat(fixture.tenants.database.query(
                        "SELECT string_agg(object_name, ' ') FROM tenants.deployed_objects WHERE tenant_id = '"
                                + tenant.id() + "'"))
                .isEqualTo("note");
    }

    private static String condition(String status, Phase phase) {
        return phase == Phase.START
                ? "NEW.status = '" + status + "' AND OLD.lease_id IS NULL AND NEW.lease_id IS NOT NULL"
                : "OLD.status = '" + status + "' AND NEW.status <> OLD.status";
    }

    private JsonNode queue(Tenant tenant, String bundle) {
        return fixture.call(tenant, fixture.api::create, Map.of(), Json.object().set("bundle", bundle(bundle)));
    }

    private void assertReady(Tenant tenant, JsonNode queued, Tenant undisturbed) {
        fixture.replaceWorker();
        fixture.startWorker();
        var ended = fixture.awaitEnd(tenant, queued);
        assertThat(ended.path("status").asText()).as("%s", ended.path("error")).isEqualTo("ready");
        assertThat(fixture.schema(tenant)).isEqualTo(fixture.schema(undisturbed));
    }

    private PgConnection connect(Tenant tenant) {
        return await(PgConnection.connect(
                fixture.tenants.vertx,
                fixture.tenants
                        .settings
                        .administratorOptions()
                        .setDatabase(tenant.names().database())));
    }

    private static ObjectNode bundle(String text) {
        return Json.parseStoredObject(text);
    }

    @Override
    public void close() {
        fixture.close();
    }
}
