package dev.slipway.tenants.tenant.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/**
 * A workspace with a database, owned by an organization.
 *
 * @param sequence the number of the last event
 * @param generation incremented when cached copies of the tenant become invalid
 * @param destroyAfter when a tenant that is being destroyed loses its database
 * @param finalDump whether its data is exported before
 */
public record Tenant(
        UUID id,
        UUID orgId,
        String displayName,
        @Nullable String adminEmail,
        TenantPlan plan,
        @Nullable String region,
        IsolationLevel isolationLevel,
        DatabaseProvider databaseProvider,
        TenantStatus status,
        DatabaseNames names,
        long sequence,
        long generation,
        @Nullable String error,
        @Nullable Instant destroyAfter,
        boolean finalDump,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant provisionedAt) {

    /** Returns whether the data API accepts reads and writes. */
    public boolean isActive() {
        return status == TenantStatus.ACTIVE;
    }

    /** Returns whether the tenant has tables in PostgreSQL. */
    public boolean hasTables() {
        return databaseProvider == DatabaseProvider.POSTGRES;
    }

    /** Returns whether the grace period of a tenant that is being destroyed has ended. */
    public boolean isDestructionDue(Instant now) {
        return status == TenantStatus.DESTROYING && destroyAfter != null && !now.isBefore(destroyAfter);
    }

    /** Returns a copy with the event sequence incremented. */
    public Tenant withNextSequence() {
        return new Tenant(
                id,
                orgId,
                displayName,
                adminEmail,
                plan,
                region,
                isolationLevel,
                databaseProvider,
                status,
                names,
                sequence + 1,
                generation,
                error,
                destroyAfter,
                finalDump,
                createdAt,
                updatedAt,
                provisionedAt);
    }
}
