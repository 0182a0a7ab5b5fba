package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.ProtocolNames.IProvisioningService;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import java.util.UUID;

import static dev.slipway.tenants.TenantsFixture.ORG;
import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The contract of the provisioning service, by the names of the protocol. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProvisioningServiceContractTest {
    private TenantsFixture fixture;
    private IProvisioningService service;

    @BeforeAll
    void start() {
        fixture = new TenantsFixture();
        service = ProtocolNames.provisioning(fixture);
    }

    @AfterAll
    void stop() {
        fixture.close();
    }

    private static JsonNode request() {
        return Json.object().put("orgId", ORG.toString()).put("plan", "free").put("region", "eu-west");
    }

    @Test
    @Proves({"4.09", "4.23", "4.25", "4.26"})
    void tenant_isProvisionedSuspendedResumedMigratedAndDestroyed() {
        var result = service.provisionTenant(request());
        var tenantId = result.path("tenantId").asText();
        assertThat(result.path("connectionUrl").asText()).startsWith("postgresql://");
        assertThat(result.path("status").asText()).isEqualTo("active");
        assertThat(result.path("region").asText()).isEqualTo("eu-west");
        assertThat(result.path("plan").asText()).isEqualTo("free");
        assertThat(result.path("steps")).isNotEmpty();

        service.suspendTenant(tenantId);
        assertThat(service.getTenantStatus(tenantId).path("status").asText()).isEqualTo("suspended");
        service.resumeTenant(tenantId);
        assertThat(service.getTenantStatus(tenantId).path("status").asText()).isEqualTo("active");
        service.migrateTenantPlan(tenantId, "enterprise");
        assertThat(service.getTenantStatus(tenantId).path("plan").asText()).isEqualTo("enterprise");
        service.destroyTenant(tenantId);
        eventually(() -> assertThat(await(fixture.tenants.find(ORG, UUID.fromString(tenantId))))
                .isNull());
    }
}
