package dev.slipway.tenants.tenant.domain;

import dev.slipway.tenants.tenant.domain.TenantDecision.Accepted;
import dev.slipway.tenants.tenant.domain.TenantDecision.Refused;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** Decides changes of tenants: provisioning leads to active or failed, active and suspended alternate, and every state to destroying. */
public final class TenantLifecycle {
    private static final Set<TenantStatus> PROVISIONED = Set.of(TenantStatus.ACTIVE, TenantStatus.SUSPENDED);

    private TenantLifecycle() {}

    public static TenantDecision activate(Tenant tenant, Instant now) {
        return tenant.status() == TenantStatus.PROVISIONING
                ? accept(change(tenant, TenantStatus.ACTIVE, now).provisionedAt(now), new TenantEvent.Activated())
                : refuse(tenant, "activated");
    }

    public static TenantDecision fail(Tenant tenant, String error, Instant now) {
        return tenant.status() == TenantStatus.PROVISIONING
                ? accept(change(tenant, TenantStatus.FAILED, now).error(error), new TenantEvent.Failed(error))
                : refuse(tenant, "marked as failed");
    }

    public static TenantDecision retry(Tenant tenant, Instant now) {
        return tenant.status() == TenantStatus.FAILED
                ? accept(change(tenant, TenantStatus.PROVISIONING, now).error(null), new TenantEvent.Requested())
                : refuse(tenant, "provisioned again");
    }

    public static TenantDecision suspend(Tenant tenant, @Nullable String reason, Instant now) {
        return tenant.status() == TenantStatus.ACTIVE
                ? accept(change(tenant, TenantStatus.SUSPENDED, now), new TenantEvent.Suspended(reason))
                : refuse(tenant, "suspended");
    }

    public static TenantDecision resume(Tenant tenant, Instant now) {
        return tenant.status() == TenantStatus.SUSPENDED
                ? accept(change(tenant, TenantStatus.ACTIVE, now), new TenantEvent.Resumed())
                : refuse(tenant, "resumed");
    }

    public static TenantDecision migratePlan(Tenant tenant, TenantPlan plan, Instant now) {
        return PROVISIONED.contains(tenant.status())
                ? accept(change(tenant, tenant.status(), now).plan(plan), new TenantEvent.PlanChanged(tenant.plan()))
                : refuse(tenant, "migrated to another plan");
    }

    /** Destroys a tenant after the grace period. A tenant that is being destroyed gets the new grace period. */
    public static TenantDecision destroy(Tenant tenant, Duration grace, boolean finalDump, Instant now) {
        var destroyAfter = now.plus(grace);
        return accept(
                change(tenant, TenantStatus.DESTROYING, now).destroyAfter(destroyAfter, finalDump),
                new TenantEvent.Destroying(destroyAfter, finalDump));
    }

    private static Accepted accept(TenantBuilder next, TenantEvent event) {
        return new Accepted(next.build(), event);
    }

    private static TenantBuilder change(Tenant tenant, TenantStatus status, Instant now) {
        return new TenantBuilder(tenant).withStatus(status, now);
    }

    private static Refused refuse(Tenant tenant, String change) {
        return new Refused("A tenant that is " + tenant.status().text() + " cannot be " + change
                + ". Read its status, and retry when it has changed.");
    }
}
