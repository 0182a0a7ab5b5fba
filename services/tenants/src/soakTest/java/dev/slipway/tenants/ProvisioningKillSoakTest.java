package dev.slipway.tenants;

import dev.slipway.contract.Json;
import dev.slipway.tenants.tenant.domain.ProvisioningStep.Name;
import dev.slipway.testkit.ChildProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.tenants.TenantsFixture.json;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Kills the process that provisions a tenant at every step, at every isolation level; another one continues. */
class ProvisioningKillSoakTest {
    @TempDir
    private Path directory;

    @Test
    void tenant_becomesActive_whenAProcessIsKilledAtEveryStep() {
        try (var fixture = new TenantsFixture()) {
            fixture.stopWorker();
            for (var level : List.of("isolated_db", "isolated_schema", "shared_schema")) {
                for (var step : Name.values()) {
                    var id = fixture.requestTenant(level);
                    var killed = start(fixture);
                    eventually(() -> assertThat(status(fixture, id, step)).isNotEqualTo("pending"));
                    killed.kill();
                    try (var survivor = start(fixture)) {
                        assertThat(survivor.isAlive()).isTrue();
                        var active = fixture.awaitStatus(id, "active");
                        fixture.deploy(active, TenantsFixture.accounts());
                        json(fixture.data(
                                fixture.records::create,
                                active,
                                "account",
                                Json.object().put("name", "x")));
                    }
                }
            }
        }
    }

    /** A process that is killed while it destroys a tenant leaves nothing behind after another one has continued. */
    @Test
    void tenant_isDestroyed_whenAProcessIsKilled() {
        try (var fixture = new TenantsFixture()) {
            for (var level : List.of("isolated_db", "isolated_schema", "shared_schema")) {
                var tenant = fixture.createTenant(level);
                fixture.stopWorker();
                var killed = start(fixture);
                json(TenantsFixture.await(fixture.api.delete(TenantsFixture.request(
                        TenantsFixture.ORG,
                        Map.of("tenant_id", tenant.id().toString()),
                        Map.of("grace_hours", "0"),
                        null))));
                killed.kill();
                try (var survivor = start(fixture)) {
                    assertThat(survivor.isAlive()).isTrue();
                    eventually(() -> assertThat(
                                    TenantsFixture.await(fixture.tenants.find(TenantsFixture.ORG, tenant.id())))
                            .isNull());
                }
                fixture.restartWorker();
            }
        }
    }

    private ChildProcess start(TenantsFixture fixture) {
        return new ChildProcess(
                directory,
                Map.of(),
                System.getProperty("java.class.path"),
                WorkerMain.class.getName(),
                fixture.database.url());
    }

    private static String status(TenantsFixture fixture, UUID tenantId, Name step) {
        return fixture.database.query("SELECT status FROM tenants.provisioning_steps WHERE tenant_id = '" + tenantId
                + "' AND name = '" + step.name().toLowerCase(Locale.ROOT) + "'");
    }
}
