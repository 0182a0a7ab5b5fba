package dev.slipway.tenants.tenant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.tenants.tenant.domain.DatabaseProvider;
import dev.slipway.tenants.tenant.domain.IsolationLevel;
import dev.slipway.tenants.tenant.domain.ProvisioningStep;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantEvent;
import dev.slipway.tenants.tenant.domain.TenantPlan;
import dev.slipway.tenants.tenant.domain.TenantStatus;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The JSON of tenants in requests, responses and events. */
public final class TenantJson {
    static final String SNAPSHOT = "tenants.tenant.snapshot";

    private TenantJson() {}

    /** The body of a request for a tenant. */
    public record CreateBody(
            @Nullable String displayName,
            @Nullable TenantPlan plan,
            @Nullable String region,
            @Nullable String adminEmail,
            @Nullable IsolationLevel isolationLevel,
            @Nullable DatabaseProvider databaseProvider) {}

    /** The body of a suspension. */
    public record SuspendBody(@Nullable String reason) {}

    /** The body of a plan migration. */
    public record MigrateBody(TenantPlan plan) {}

    /** A tenant in responses. */
    public record TenantBody(
            UUID id,
            UUID orgId,
            String displayName,
            @Nullable String adminEmail,
            TenantPlan plan,
            @Nullable String region,
            IsolationLevel isolationLevel,
            DatabaseProvider databaseProvider,
            TenantStatus status,
            @Nullable String connectionUrl,
            @Nullable String error,
            @Nullable Instant destroyAfter,
            Instant createdAt,
            Instant updatedAt,
            @Nullable Instant provisionedAt) {}

    /** A provisioning step in responses. */
    public record StepBody(
            ProvisioningStep.Name name,
            ProvisioningStep.Status status,
            @Nullable Instant startedAt,
            @Nullable Instant completedAt,
            @Nullable Long durationMs,
            @Nullable String error,
            int attempts) {
        static StepBody of(ProvisioningStep step) {
            return new StepBody(
                    step.name(),
                    step.status(),
                    step.startedAt(),
                    step.completedAt(),
                    millisBetween(step.startedAt(), step.completedAt()),
                    step.error(),
                    step.attempts());
        }
    }

    /** The provisioning status in responses. */
    public record ProvisioningBody(
            UUID tenantId,
            TenantStatus status,
            @Nullable String connectionUrl,
            @Nullable String region,
            TenantPlan plan,
            List<StepBody> steps,
            @Nullable Long totalDurationMs,
            @Nullable Instant provisionedAt,
            @Nullable String error) {}

    private record EventBody(
            UUID orgId,
            UUID tenantId,
            long sequence,
            TenantStatus status,
            TenantPlan plan,
            @Nullable String region,
            IsolationLevel isolationLevel,
            DatabaseProvider databaseProvider) {}

    private record SnapshotBody(
            UUID orgId,
            UUID tenantId,
            TenantStatus status,
            TenantPlan plan,
            @Nullable String region,
            IsolationLevel isolationLevel,
            DatabaseProvider databaseProvider,
            long generation,
            String displayName) {}

    public static TenantBody body(Tenant tenant, String connectionUrl) {
        return new TenantBody(
                tenant.id(),
                tenant.orgId(),
                tenant.displayName(),
                tenant.adminEmail(),
                tenant.plan(),
                tenant.region(),
                tenant.isolationLevel(),
                tenant.databaseProvider(),
                tenant.status(),
                tenant.provisionedAt() == null ? null : connectionUrl,
                tenant.error(),
                tenant.destroyAfter(),
                tenant.createdAt(),
                tenant.updatedAt(),
                tenant.provisionedAt());
    }

    public static ProvisioningBody provisioning(Tenant tenant, List<ProvisioningStep> steps, String connectionUrl) {
        return new ProvisioningBody(
                tenant.id(),
                tenant.status(),
                tenant.provisionedAt() == null ? null : connectionUrl,
                tenant.region(),
                tenant.plan(),
                steps.stream().map(StepBody::of).toList(),
                millisBetween(tenant.createdAt(), tenant.provisionedAt()),
                tenant.provisionedAt(),
                tenant.error());
    }

    static ObjectNode event(Tenant tenant, TenantEvent event) {
        var payload = Json.toObject(new EventBody(
                tenant.orgId(),
                tenant.id(),
                tenant.sequence(),
                tenant.status(),
                tenant.plan(),
                tenant.region(),
                tenant.isolationLevel(),
                tenant.databaseProvider()));
        return payload.setAll(Json.toObject(event));
    }

    static ObjectNode snapshot(Tenant tenant) {
        return Json.toObject(new SnapshotBody(
                tenant.orgId(),
                tenant.id(),
                tenant.status(),
                tenant.plan(),
                tenant.region(),
                tenant.isolationLevel(),
                tenant.databaseProvider(),
                tenant.generation(),
                tenant.displayName()));
    }

    private static @Nullable Long millisBetween(@Nullable Instant start, @Nullable Instant end) {
        return start == null || end == null
                ? null
                : Math.max(0, Duration.between(start, end).toMillis());
    }
}
