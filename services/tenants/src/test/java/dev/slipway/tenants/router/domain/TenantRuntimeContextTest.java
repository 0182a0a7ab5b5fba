package dev.slipway.tenants.router.domain;

import dev.slipway.contract.Json;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class TenantRuntimeContextTest {
    private static final UUID ID = UUID.fromString("01900000-0000-7000-8000-00000000000a");
    private static final String KERNEL = """
            {"instance_id": "01900000-0000-7000-8000-00000000000a", "mode": "production", "version": "1.0.0", "cwd": "/",
             "start_time": 1772445600000, "features": {}}
            """;

    @Test
    @Proves("4.14")
    void context_parses_withoutTheFieldsOfTheTenant() {
        var context =
                Json.toRecord(Json.parseTrusted(KERNEL.getBytes(StandardCharsets.UTF_8)), TenantRuntimeContext.class);

        assertThat(context.tenantId()).isNull();
        assertThat(context.tenantQuotas()).isNull();
        assertThat(context.mode()).isEqualTo("production");
    }

    @Test
    @Proves({"4.02", "4.03", "4.13"})
    void context_keepsTheFieldsOfTheTenant_alsoWithoutARegion() {
        var quotas = new Quotas(500L, null, null, 100L, null, null);
        var context = TenantRuntimeContext.kernel(ID, "1.0.0", 1)
                .withTenant(ID, TenantPlan.PRO, null, "postgresql://db.test:5432/tenant", quotas);

        var parsed = Json.toRecord(Json.parseTrusted(Json.bytes(context)), TenantRuntimeContext.class);

        assertThat(parsed).isEqualTo(context);
        assertThat(parsed.tenantRegion()).isNull();
        assertThat(parsed.tenantQuotas().maxUsers()).isEqualTo(500);
    }
}
