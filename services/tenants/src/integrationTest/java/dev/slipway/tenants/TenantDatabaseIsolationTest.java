package dev.slipway.tenants;

import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.code;
import static dev.slipway.tenants.TenantsFixture.json;
import static org.assertj.core.api.Assertions.assertThat;

/** Attempts to cross the boundary between tenants at every isolation level, through SQL and through the API. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantDatabaseIsolationTest {
    private TenantsFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private Tenant tenantWithRecord(String level, String secret) {
        var tenant = fixture.createTenant(level);
        fixture.deploy(tenant, TenantsFixture.accounts());
        json(fixture.data(
                fixture.records::create, tenant, "account", Json.object().put("name", secret)));
        return tenant;
    }

    /** Returns the error of a statement on a connection with the rights of the tenant, or its first value. */
    private String run(PgConnectOptions options, String... statements) {
        return await(PgConnection.connect(fixture.vertx, options)
                .compose(connection -> {
                    var chain = connection.query("SELECT 1").execute();
                    for (var sql : statements) {
                        chain = chain.compose(ok -> connection.query(sql).execute());
                    }
                    return chain.map(rows -> rows.size() == 0
                                    ? "no rows"
                                    : String.valueOf(rows.iterator().next().getValue(0)))
                            .eventually(connection::close);
                })
                .otherwise(Throwable::getMessage));
    }

    private PgConnectOptions credentialOf(Tenant tenant) {
        var reply = fixture.call(
                fixture.credentials::create,
                Map.of("tenant_id", tenant.id().toString()),
                Json.object().put("access", "write"));
        var issued = json(reply);
        return fixture.databases
                .clientOptions(tenant)
                .setUser(issued.path("username").asText())
                .setPassword(issued.path("password").asText());
    }

    @Test
    void isolatedDatabase_isUnreachable_withTheCredentialOfAnotherTenant() {
        var own = tenantWithRecord("isolated_db", "mine");
        var other = tenantWithRecord("isolated_db", "theirs");
        var credential = credentialOf(own);

        assertThat(run(credential, "SELECT name FROM account")).isEqualTo("mine");
        assertThat(run(
                        new PgConnectOptions(credential)
                                .setDatabase(other.names().database()),
                        "SELECT 1"))
                .contains("permission denied for database");
        assertThat(run(credential, "SET ROLE " + other.names().role())).contains("permission denied to set role");
        assertThat(run(credential, "SET ROLE " + own.names().owner())).contains("permission denied to set role");
        assertThat(run(credential, "CREATE TABLE app.mine (id int)")).contains("permission denied");
        assertThat(run(
                        new PgConnectOptions(credential).setDatabase(databaseName()),
                        "SELECT count(*) FROM tenants.tenants"))
                .contains("permission denied for schema");
    }

    private String databaseName() {
        return fixture.settings.administratorOptions().getDatabase();
    }

    @Test
    void isolatedSchema_isUnreachable_withTheCredentialOfAnotherTenant() {
        var own = tenantWithRecord("isolated_schema", "mine");
        var other = tenantWithRecord("isolated_schema", "theirs");
        var credential = credentialOf(own);

        assertThat(run(credential, "SELECT name FROM account")).isEqualTo("mine");
        for (var schema : List.of(other.names().schema(), "shared")) {
            assertThat(run(credential, "SET search_path = " + schema, "SELECT name FROM account"))
                    .containsAnyOf("permission denied", "does not exist");
        }
        assertThat(run(credential, "SELECT name FROM " + other.names().schema() + ".account"))
                .contains("permission denied for schema");
        assertThat(run(credential, "SET ROLE " + other.names().owner())).contains("permission denied to set role");
    }

    @Test
    void sharedSchema_hidesRowsOfOtherTenants_fromTheRoleThatAllShare() {
        var own = tenantWithRecord("shared_schema", "mine");
        var other = tenantWithRecord("shared_schema", "theirs");
        var client = fixture.databases.clientOptions(own);
        var ownTable = "\"" + own.names().table("account") + "\"";
        var otherTable = "\"" + other.names().table("account") + "\"";

        assertThat(run(client, "SELECT name FROM " + ownTable)).isEqualTo("mine");
        assertThat(run(client, "SELECT name FROM " + otherTable)).isEqualTo("no rows");
        assertThat(run(client, "UPDATE " + otherTable + " SET name = 'x' RETURNING name"))
                .isEqualTo("no rows");
        assertThat(run(
                        client,
                        "INSERT INTO " + otherTable
                                + " (id, created_at, updated_at, name) VALUES (gen_random_uuid(), now(), now(), 'x')"))
                .contains("violates");
        assertThat(run(client, "ALTER TABLE " + otherTable + " DISABLE ROW LEVEL SECURITY"))
                .contains("must be owner");
        assertThat(run(client, "SET row_security = off", "SELECT name FROM " + otherTable))
                .contains("would be affected by row-level security");
        assertThat(run(client, "SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = current_user"))
                .isEqualTo("false");
        assertThat(code(fixture.call(
                        fixture.credentials::create,
                        Map.of("tenant_id", own.id().toString()),
                        Json.object())))
                .isEqualTo("state_conflict");
    }

    @Test
    void names_areData_notSql() {
        var name = "x'; DROP TABLE tenants; --\" || pg_sleep(10)";
        var reply = fixture.call(
                fixture.api::create,
                Map.of(),
                Json.object().put("display_name", name).put("isolation_level", "isolated_schema"));
        var id = UUID.fromString(json(reply).path("id").asText());

        var tenant = fixture.awaitStatus(id, "active");

        assertThat(run(fixture.databases.clientOptions(tenant), "SELECT display_name FROM slipway_tenant_info"))
                .isEqualTo(name);
        assertThat(tenant.names().database()
                        + tenant.names().schema()
                        + tenant.names().role())
                .matches("[a-z0-9_]+");
    }

    /** Every operation of another organization's tenant is not found. */
    @Test
    void operations_areNotFound_forAnotherOrganization() {
        var tenant = fixture.createTenant("shared_schema");
        var path = Map.of(
                "tenant_id", tenant.id().toString(), "credential_id", Ids.next().toString());
        var codes = new ArrayList<String>();
        for (var operation : List.<Function<Request, Future<Reply>>>of(
                fixture.api::get,
                fixture.api::status,
                fixture.api::retry,
                fixture.api::resume,
                fixture.api::delete,
                fixture.credentials::list,
                fixture.credentials::revoke,
                fixture.usage::get)) {
            codes.add(await(operation
                    .apply(TenantsFixture.request(Ids.next(), path, Map.of(), null))
                    .map(TenantsFixture::code)
                    .otherwise(Throwable::getMessage)));
        }
        assertThat(codes).allMatch(code -> code.contains("tenant_not_found"));
        assertThat(fixture.find(tenant.id()).isActive()).isTrue();
    }
}
