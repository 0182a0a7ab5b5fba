package dev.slipway.tenants.tenant.domain;

/** The outcome of a request to change a tenant. */
public sealed interface TenantDecision {
    /** The tenant after the change, and the event. */
    record Accepted(Tenant next, TenantEvent event) implements TenantDecision {}

    /** The tenant is not in a state that allows the change. */
    record Refused(String message) implements TenantDecision {}
}
