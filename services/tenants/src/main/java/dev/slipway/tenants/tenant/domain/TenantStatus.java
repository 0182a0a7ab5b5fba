package dev.slipway.tenants.tenant.domain;

/** The states of a tenant. The row of a destroyed tenant is deleted. */
public enum TenantStatus {
    PROVISIONING,
    ACTIVE,
    SUSPENDED,
    FAILED,
    DESTROYING
}
