package dev.slipway.tenants.quota.domain;

import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * The payload of a usage report: what was measured, and the usage of the time since the previous report as facts in registered units.
 *
 * @param usageId follows from the tenant and the start of the window, so that a report has the same id however often it is made
 * @param windowStart the end of the previous window, or when the tenant was provisioned; windows neither overlap nor leave gaps
 */
public record UsageReport(
        UUID usageId,
        UUID orgId,
        UUID tenantId,
        TenantPlan plan,
        Instant measuredAt,
        long currentUsers,
        long currentStorageBytes,
        long currentObjectCount,
        long currentRecordCount,
        long deploymentsToday,
        long apiRequests,
        String resourceType,
        UUID resourceId,
        Instant windowStart,
        Instant windowEnd,
        List<UsageFact> facts) {
    private static final int SCALE = 9;
    private static final BigDecimal NANOS_PER_HOUR = BigDecimal.valueOf(3_600_000_000_000L);
    private static final BigDecimal BYTES_PER_GIB = BigDecimal.valueOf(1L << 30);

    /**
     * Usage in a registered unit.
     *
     * @param id unique per report and unit
     * @param quantity a decimal number
     */
    public record UsageFact(String id, String unit, String quantity) {}

    /**
     * Returns the report of a measurement. Users and storage count with their measured value for the whole window.
     *
     * @param previous when the tenant was measured before; null at the first time
     */
    public static UsageReport of(
            Tenant tenant, @Nullable Instant previous, Instant now, TenantUsage usage, long apiRequests) {
        var begin =
                previous == null ? Objects.requireNonNullElse(tenant.provisionedAt(), tenant.createdAt()) : previous;
        var start = begin.isAfter(now) ? now : begin;
        var id = UUID.nameUUIDFromBytes((tenant.id() + "|" + start).getBytes(StandardCharsets.UTF_8));
        var hours = BigDecimal.valueOf(Duration.between(start, now).toNanos())
                .divide(NANOS_PER_HOUR, SCALE, RoundingMode.HALF_UP);
        var gibHours = BigDecimal.valueOf(usage.currentStorageBytes())
                .multiply(hours)
                .divide(BYTES_PER_GIB, SCALE, RoundingMode.HALF_UP);
        return new UsageReport(
                id,
                tenant.orgId(),
                tenant.id(),
                tenant.plan(),
                now,
                usage.currentUsers(),
                usage.currentStorageBytes(),
                usage.currentObjectCount(),
                usage.currentRecordCount(),
                usage.deploymentsToday(),
                apiRequests,
                "tenant",
                tenant.id(),
                start,
                now,
                List.of(
                        fact(id, "tenant_hour", hours),
                        fact(id, "tenant_user_hour", hours.multiply(BigDecimal.valueOf(usage.currentUsers()))),
                        fact(id, "tenant_storage_gib_hour", gibHours),
                        fact(id, "tenant_api_request", BigDecimal.valueOf(apiRequests))));
    }

    private static UsageFact fact(UUID id, String unit, BigDecimal quantity) {
        return new UsageFact(id + "/" + unit, unit, quantity.toPlainString());
    }
}
