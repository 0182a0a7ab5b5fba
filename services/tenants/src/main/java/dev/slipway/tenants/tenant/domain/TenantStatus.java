package dev.slipway.tenants.tenant.domain;

import dev.slipway.contract.domain.TextEnum;

/** The states of a tenant. The row of a destroyed tenant is deleted. */
public enum TenantStatus implements TextEnum {
    PROVISIONING,
    ACTIVE,
    SUSPENDED,
    FAILED,
    DESTROYING
}
