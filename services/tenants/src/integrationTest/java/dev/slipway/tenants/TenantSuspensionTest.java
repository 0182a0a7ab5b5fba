package dev.slipway.tenants;

import dev.slipway.contract.Json;
import dev.slipway.service.Call;
import dev.slipway.service.Request;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Suspends, resumes and destroys tenants, and changes their plan. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantSuspensionTest {
    private TenantsFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static Map<String, String> path(Tenant tenant) {
        return Map.of("tenant_id", tenant.id().toString());
    }

    private Tenant tenant(String level) {
        var tenant = fixture.createTenant(level);
        fixture.deploy(tenant, TenantsFixture.accounts());
        json(fixture.data(
                fixture.records::create, tenant, "account", Json.object().put("name", "kept")));
        return tenant;
    }

    private String connect(Tenant tenant) {
        return await(PgConnection.connect(fixture.vertx, fixture.databases.clientOptions(tenant))
                .compose(connection -> connection
                        .query("SELECT name FROM \"" + tenant.names().table("account") + "\"")
                        .execute()
                        .map(rows -> rows.size() + " rows")
                        .eventually(connection::close))
                .otherwise(Throwable::getMessage));
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    void suspend_deniesAccessInTheDatabase_andResumeRestoresIt(String level) {
        var tenant = tenant(level);
        var open = await(PgConnection.connect(fixture.vertx, fixture.databases.clientOptions(tenant)));
        var table = "\"" + tenant.names().table("account") + "\"";

        var suspended = json(
                fixture.call(fixture.api::suspend, path(tenant), Json.object().put("reason", "unpaid")));

        assertThat(suspended.path("status").asText()).isEqualTo("suspended");
        assertThat(code(fixture.data(fixture.records::list, tenant, "account", null)))
                .isEqualTo("tenant_suspended");
        // An open connection, and a new one with the rights of the platform.
        assertThat(await(open.query("INSERT INTO " + table
                                + " (id, created_at, updated_at, name) VALUES (gen_random_uuid(), now(), now(), 'x')")
                        .execute()
                        .map(rows -> "inserted")
                        .otherwise(Throwable::getMessage)))
                .isNotEqualTo("inserted");
        assertThat(connect(tenant))
                .satisfiesAnyOf(
                        outcome -> assertThat(outcome).contains("not permitted to log in"),
                        outcome -> assertThat(outcome).contains("the tenant has no access"));
        assertThat(code(fixture.call(fixture.api::suspend, path(tenant), Json.object())))
                .isEqualTo("state_conflict");

        json(fixture.call(fixture.api::resume, path(tenant), null));

        assertThat(connect(tenant)).isEqualTo("1 rows");
        json(fixture.data(
                fixture.records::create, tenant, "account", Json.object().put("name", "after")));
    }

    @Test
    void suspend_revokesCredentials_andResumeDoesNotRestoreThem() {
        var tenant = tenant("isolated_db");
        var issued = json(fixture.call(fixture.credentials::create, path(tenant), Json.object()));
        var options = fixture.databases
                .clientOptions(tenant)
                .setUser(issued.path("username").asText())
                .setPassword(issued.path("password").asText());
        var connection = await(PgConnection.connect(fixture.vertx, options));
        assertThat(await(connection
                        .query("DELETE FROM account")
                        .execute()
                        .map("deleted")
                        .otherwise(Throwable::getMessage)))
                .contains("permission denied");

        json(fixture.call(fixture.api::suspend, path(tenant), Json.object()));
        json(fixture.call(fixture.api::resume, path(tenant), null));

        assertThat(await(connection.query("SELECT 1").execute().map("alive").otherwise("terminated")))
                .isEqualTo("terminated");
        assertThat(await(PgConnection.connect(fixture.vertx, options)
                        .map("connected")
                        .otherwise(Throwable::getMessage)))
                .contains("not permitted to log in");
    }

    @Test
    void credential_isNotReplayed_andExpires() {
        var tenant = tenant("isolated_schema");
        var call = new Call(
                "createTenantCredential",
                "c",
                null,
                Map.of(
                        "org_id",
                        TenantsFixture.ORG.toString(),
                        "tenant_id",
                        tenant.id().toString()),
                Map.of(),
                Map.of("idempotency-key", "once"),
                Json.object().put("ttl_seconds", 60));
        var request = new Request(call, fixture.caller, TenantsFixture.ORG, null, TenantsFixture.context());

        var first = json(await(fixture.credentials.create(request)));
        var second = await(fixture.credentials.create(request));

        assertThat(first.path("password").asText()).hasSize(32);
        assertThat(code(second)).isEqualTo("idempotency_conflict");
        assertThat(fixture.database.query(
                        "SELECT count(*) FROM tenants.idempotency WHERE convert_from(body, 'UTF8') LIKE '%"
                                + first.path("password").asText() + "%'"))
                .isEqualTo("0");
        assertThat(fixture.database.query("SELECT rolvaliduntil IS NOT NULL FROM pg_roles WHERE rolname = '"
                        + first.path("username").asText() + "'"))
                .isEqualTo("t");
        fixture.database.execute("UPDATE tenants.tenant_credentials SET expires_at = now()");
        await(fixture.credentials.deleteExpired());
        assertThat(fixture.database.query("SELECT count(*) FROM pg_roles WHERE rolname = '"
                        + first.path("username").asText() + "'"))
                .isEqualTo("0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    void delete_leavesOnlyTheAuditTrailAndTheDump(String level) throws IOException {
        var tenant = tenant(level);
        json(await(fixture.api.delete(TenantsFixture.request(
                TenantsFixture.ORG, path(tenant), Map.of("grace_hours", "0", "final_dump", "true"), null))));

        eventually(() -> assertThat(await(fixture.tenants.find(TenantsFixture.ORG, tenant.id())))
                .isNull());

        var name = tenant.names();
        assertThat(fixture.database.query("SELECT count(*) FROM pg_database WHERE datname = '" + name.database()
                        + "' AND datname LIKE 'tenant\\_%'"))
                .isEqualTo("0");
        assertThat(fixture.database.query("SELECT count(*) FROM pg_roles WHERE rolname LIKE '" + name.role()
                        + "%' AND rolname LIKE 'tenant\\_%'"))
                .isEqualTo("0");
        assertThat(code(fixture.data(fixture.records::list, tenant, "account", null)))
                .isEqualTo("tenant_not_found");
        assertThat(fixture.database.query("SELECT count(*) FROM tenants.outbox WHERE topic = 'audit.events' AND"
                        + " convert_from(value, 'UTF8') LIKE '%tenants.tenant.destroy%" + tenant.id() + "%'"))
                .isEqualTo("1");
        var file =
                fixture.database.query("SELECT file FROM tenants.tenant_dumps WHERE tenant_id = '" + tenant.id() + "'");
        assertThat(Files.readString(fixture.dumpDirectory.path().resolve(file)))
                .contains("\"object\": \"account\"")
                .contains("\"name\": \"kept\"");
    }

    /** A process that ends after the data is dropped, and before this is recorded, leaves this state behind. */
    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    void delete_completes_whenAProcessWasKilledAfterDroppingTheData(String level) {
        var tenant = tenant(level);
        fixture.stopWorker();
        json(await(fixture.api.delete(
                TenantsFixture.request(TenantsFixture.ORG, path(tenant), Map.of("grace_hours", "0"), null))));
        await(fixture.provisioner.drop(tenant));

        fixture.restartWorker();

        eventually(() -> assertThat(await(fixture.tenants.find(TenantsFixture.ORG, tenant.id())))
                .isNull());
    }

    @Test
    void delete_keepsDataForTheGracePeriod() {
        var tenant = tenant("isolated_schema");

        var reply = json(fixture.call(fixture.api::delete, path(tenant), null));

        assertThat(reply.path("status").asText()).isEqualTo("destroying");
        assertThat(reply.path("destroy_after").asText())
                .isGreaterThan(Instant.now().plusSeconds(71 * 3600).toString());
        assertThat(code(fixture.data(fixture.records::list, tenant, "account", null)))
                .isEqualTo("tenant_not_ready");
        assertThat(connect(tenant)).contains("not permitted to log in");
    }

    @Test
    void migratePlan_changesQuotasAtOnce() {
        var tenant = tenant("shared_schema");
        assertThat(await(fixture.router.find(tenant.id())).quotas().maxObjects())
                .isEqualTo(20);

        json(fixture.call(fixture.api::migratePlan, path(tenant), Json.object().put("plan", "enterprise")));

        assertThat(await(fixture.router.find(tenant.id())).quotas().maxObjects())
                .isNull();
        assertThat(fixture.database.query("SELECT count(*) FROM tenants.outbox WHERE topic = 'audit.events' AND"
                        + " convert_from(value, 'UTF8') LIKE '%migrate_plan%' AND convert_from(value, 'UTF8') LIKE '%"
                        + tenant.id() + "%'"))
                .isEqualTo("1");
    }
}
