package dev.slipway.tenants.router.domain;

import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.UUID;

/**
 * The context of a request: the fields of the kernel context, and those of the tenant. A context without the fields of the tenant is valid.
 *
 * @param startTime when the process started, in milliseconds since 1970
 */
public record TenantRuntimeContext(
        UUID instanceId,
        String mode,
        String version,
        @Nullable String appName,
        String cwd,
        long startTime,
        Map<String, Boolean> features,
        @Nullable UUID tenantId,
        @Nullable TenantPlan tenantPlan,
        @Nullable String tenantRegion,
        @Nullable String tenantDbUrl,
        @Nullable Quotas tenantQuotas) {

    /** The kernel context, without a tenant. */
    public static TenantRuntimeContext kernel(UUID instanceId, String version, long startTime) {
        return new TenantRuntimeContext(
                instanceId,
                "production",
                version,
                "slipway",
                "/",
                startTime,
                Map.of("data_api", true),
                null,
                null,
                null,
                null,
                null);
    }

    public TenantRuntimeContext withTenant(
            UUID id, TenantPlan plan, @Nullable String region, String dbUrl, Quotas quotas) {
        return new TenantRuntimeContext(
                instanceId, mode, version, appName, cwd, startTime, features, id, plan, region, dbUrl, quotas);
    }
}
