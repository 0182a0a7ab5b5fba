package dev.slipway.tenants;

import dev.slipway.settings.Settings;
import dev.slipway.tenants.router.TenantPools;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The configuration of the tenants service.
 *
 * @param maxPools the tenants that have open connections at a time in this process
 * @param poolSize the connections per tenant
 * @param maxConnections the connections to tenant databases of this process altogether
 * @param poolIdle how long an unused pool stays open
 * @param workers how many tenants are provisioned or destroyed at a time in this process
 * @param usageInterval the time between two measurements of a tenant's usage
 * @param dumpDirectory where final dumps are written
 */
public record TenantsConfig(
        int maxPools,
        int poolSize,
        int maxConnections,
        Duration poolIdle,
        int workers,
        Duration usageInterval,
        Path dumpDirectory) {
    public TenantPools.Limits poolLimits() {
        return new TenantPools.Limits(maxPools, poolSize, maxConnections, poolIdle);
    }

    public static TenantsConfig from(Settings settings) {
        var home = Path.of(settings.text("SLIPWAY_HOME", ".slipway"));
        return new TenantsConfig(
                settings.integer("SLIPWAY_TENANT_POOLS", 100, 1, 10_000),
                settings.integer("SLIPWAY_TENANT_POOL_SIZE", 1, 1, 100),
                settings.integer("SLIPWAY_TENANT_CONNECTIONS", 100, 1, 10_000),
                settings.duration("SLIPWAY_TENANT_POOL_IDLE", Duration.ofMinutes(5)),
                settings.integer("SLIPWAY_TENANT_WORKERS", 4, 1, 64),
                settings.duration("SLIPWAY_TENANT_USAGE_INTERVAL", Duration.ofMinutes(1)),
                Path.of(settings.text(
                                "SLIPWAY_TENANT_DUMP_DIRECTORY",
                                home.resolve("tenant-dumps").toString()))
                        .toAbsolutePath());
    }
}
