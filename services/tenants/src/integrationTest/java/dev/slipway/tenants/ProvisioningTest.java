package dev.slipway.tenants;

import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.testkit.Proves;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The contract of provisioning: steps, crashes between them, failures and retries. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProvisioningTest {
    private TenantsFixture fixture;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static Map<String, String> path(UUID tenantId) {
        return Map.of("tenant_id", tenantId.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"isolated_db", "isolated_schema", "shared_schema"})
    @Proves({"4.26", "4.28"})
    void create_provisionsTenant_stepByStep(String isolationLevel) {
        var tenant = fixture.createTenant(isolationLevel);

        var status = json(fixture.call(fixture.api::status, path(tenant.id()), null));

        assertThat(status.path("tenant_id").asText()).isEqualTo(tenant.id().toString());
        assertThat(status.path("status").asText()).isEqualTo("active");
        assertThat(status.path("connection_url").asText())
                .startsWith("postgresql://")
                .doesNotContain("@");
        assertThat(status.path("total_duration_ms").isIntegralNumber()).isTrue();
        var names = new ArrayList<String>();
        status.path("steps").forEach(step -> {
            names.add(step.path("name").asText());
            assertThat(step.path("status").asText()).isIn("completed", "skipped");
            assertThat(step.path("completed_at").asText()).isNotEmpty();
        });
        assertThat(names)
                .containsExactly(
                        "create_database", "create_role", "sync_schema", "apply_policies", "seed_data", "register");
        assertThat(fixture.database.query("SELECT string_agg(event_type, ' ' ORDER BY seq) FROM tenants.outbox"
                        + " WHERE topic = 'tenants.events' AND key = '" + tenant.id() + "'"))
                .startsWith("tenants.tenant.requested tenants.tenant.step_changed")
                .endsWith("tenants.tenant.step_changed tenants.tenant.activated");
    }

    @Test
    @Proves("4.37")
    void create_refuses_whenProviderIsNotConfigured() {
        var body = Json.object().put("display_name", "Edge").put("database_provider", "turso");

        var problem = fixture.call(fixture.api::create, Map.of(), body).problem();

        assertThat(problem.code().code()).isEqualTo("provider_not_configured");
        assertThat(problem.message()).contains("No provider is configured");
    }

    @Test
    void create_skipsTheDatabase_inMemory() {
        var tenant = fixture.createMemoryTenant();

        var status = json(fixture.call(fixture.api::status, path(tenant.id()), null));

        assertThat(status.path("connection_url").asText()).isEqualTo("memory:" + tenant.id());
        assertThat(status.path("steps").get(0).path("status").asText()).isEqualTo("skipped");
    }

    /**
     * A process that ends after a step has had its effect, and before the step is recorded, leaves this state behind. The soak test kills a
     * process at every step.
     */
    @ParameterizedTest
    @EnumSource(names = {"CREATE_ROLE", "SYNC_SCHEMA", "SEED_DATA"})
    void worker_continues_whenAProcessWasKilledAfterAStep(Name killed) {
        fixture.stopWorker();
        var id = fixture.requestTenant("isolated_schema");
        var tenant = fixture.find(id);
        for (var step : Name.values()) {
            if (step.compareTo(killed) > 0) {
                break;
            }
            await(execute(tenant, step));
            var status = step == killed ? "running" : "completed";
            fixture.database.execute("UPDATE tenants.provisioning_steps SET status = '" + status
                    + "', started_at = now(), attempts = 1 WHERE tenant_id = '" + id + "' AND name = '"
                    + step.text() + "'");
        }
        fixture.database.execute(
                "UPDATE tenants.tenants SET lease_id = gen_random_uuid(), lease_until = now() + interval '300 ms'"
                        + " WHERE tenant_id = '" + id + "'");

        fixture.restartWorker();

        var active = fixture.awaitStatus(id, "active");
        fixture.deploy(active, TenantsFixture.accounts());
        json(fixture.data(
                fixture.records::create, active, "account", Json.object().put("name", "works")));
    }

    private Future<Void> execute(Tenant tenant, Name step) {
        return switch (step) {
            case CREATE_DATABASE -> fixture.provisioner.createDatabase(tenant);
            case CREATE_ROLE -> fixture.provisioner.createRoles(tenant);
            case SYNC_SCHEMA -> fixture.provisioner.createSchema(tenant);
            case APPLY_POLICIES -> fixture.provisioner.applyPolicies(tenant);
            case SEED_DATA -> fixture.provisioner.seedData(tenant);
            case REGISTER -> Future.succeededFuture();
        };
    }

    @Test
    void worker_failsTheTenant_andRetryOrDestroyFollows() {
        fixture.stopWorker();
        var retried = fixture.requestTenant("isolated_schema");
        var destroyed = fixture.requestTenant("isolated_schema");
        var names = fixture.find(retried).names();
        // A role that exists with another owner makes the step fail for good.
        for (var id : List.of(retried, destroyed)) {
            fixture.database.execute("CREATE ROLE " + fixture.find(id).names().owner());
        }
        fixture.restartWorker();

        var failed = fixture.awaitStatus(retried, "failed");
        fixture.awaitStatus(destroyed, "failed");

        // Not the message of the driver, which names the role.
        assertThat(failed.error())
                .isEqualTo(
                        "create_role failed: the database rejected it. The operator of Slipway finds the cause in the log.");
        fixture.database.execute("DROP ROLE " + names.owner());
        json(fixture.call(fixture.api::retry, path(retried), null));
        fixture.awaitStatus(retried, "active");
        fixture.database.execute("DROP ROLE " + fixture.find(destroyed).names().owner());
        json(await(fixture.api.delete(
                TenantsFixture.request(TenantsFixture.ORG, path(destroyed), Map.of("grace_hours", "0"), null))));
        eventually(() -> assertThat(await(fixture.tenants.find(TenantsFixture.ORG, destroyed)))
                .isNull());
    }

    @Test
    void create_provisionsManyTenants_withASmallPoolOfWorkers() {
        var ids = new ArrayList<UUID>();
        var requests = new ArrayList<Future<Reply>>();
        for (var i = 0; i < 50; i++) {
            var body = Json.object()
                    .put("display_name", "Many " + i)
                    .put(
                            "isolation_level",
                            i % 25 == 0 ? "isolated_db" : i % 2 == 0 ? "isolated_schema" : "shared_schema");
            requests.add(fixture.api.create(TenantsFixture.request(TenantsFixture.ORG, Map.of(), Map.of(), body)));
        }
        await(Future.all(requests))
                .<Reply>list()
                .forEach(reply -> ids.add(UUID.fromString(json(reply).path("id").asText())));

        ids.forEach(id -> fixture.awaitStatus(id, "active"));

        assertThat(fixture.database.query(
                        "SELECT count(DISTINCT (database_name, schema_name, table_prefix)) FROM tenants.tenants"
                                + " WHERE display_name LIKE 'Many %'"))
                .isEqualTo("50");
    }
}
