package dev.slipway.tenants.tenant.domain;

import dev.slipway.contract.domain.TextEnum;

/** The subscription of a tenant, which determines its quotas. */
public enum TenantPlan implements TextEnum {
    FREE,
    PRO,
    ENTERPRISE
}
