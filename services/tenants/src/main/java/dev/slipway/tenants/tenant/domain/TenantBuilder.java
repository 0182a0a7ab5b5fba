package dev.slipway.tenants.tenant.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** Builds the next state of a tenant from the current one. */
final class TenantBuilder {
    private final Tenant current;
    private TenantStatus status;
    private TenantPlan plan;
    private Instant updatedAt;
    private @Nullable String error;
    private @Nullable Instant destroyAfter;
    private boolean finalDump;
    private @Nullable Instant provisionedAt;

    TenantBuilder(Tenant current) {
        this.current = current;
        this.status = current.status();
        this.plan = current.plan();
        this.updatedAt = current.updatedAt();
        this.error = current.error();
        this.destroyAfter = current.destroyAfter();
        this.finalDump = current.finalDump();
        this.provisionedAt = current.provisionedAt();
    }

    TenantBuilder withStatus(TenantStatus next, Instant at) {
        status = next;
        updatedAt = at;
        return this;
    }

    TenantBuilder plan(TenantPlan next) {
        plan = next;
        return this;
    }

    TenantBuilder error(@Nullable String next) {
        error = next;
        return this;
    }

    TenantBuilder destroyAfter(Instant at, boolean dump) {
        destroyAfter = at;
        finalDump = dump;
        return this;
    }

    TenantBuilder provisionedAt(Instant at) {
        provisionedAt = at;
        return this;
    }

    /** Increments the sequence and the generation: every change is an event and makes cached copies invalid. */
    Tenant build() {
        return new Tenant(
                current.id(),
                current.orgId(),
                current.displayName(),
                current.adminEmail(),
                plan,
                current.region(),
                current.isolationLevel(),
                current.databaseProvider(),
                status,
                current.names(),
                current.sequence() + 1,
                current.generation() + 1,
                error,
                destroyAfter,
                finalDump,
                current.createdAt(),
                updatedAt,
                provisionedAt);
    }
}
