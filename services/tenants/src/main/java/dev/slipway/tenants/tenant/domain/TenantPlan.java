package dev.slipway.tenants.tenant.domain;

/** The subscription of a tenant, which determines its quotas. */
public enum TenantPlan {
    FREE,
    PRO,
    ENTERPRISE
}
