package dev.slipway.tenants.router;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.quota.domain.Quotas;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.tenant.domain.TenantStatus;

import java.util.Map;

/** A tenant with everything that a request to it needs, as the router caches it. */
public record RoutedTenant(Tenant tenant, Quotas quotas, Map<String, ObjectDefinition> objects) {
    public RoutedTenant {
        objects = Map.copyOf(objects);
    }

    /** Throws a problem unless the tenant accepts requests. */
    public RoutedTenant requireActive() {
        requireActive(tenant.status());
        return this;
    }

    /** Throws a problem unless a tenant with this status accepts requests. */
    public static void requireActive(TenantStatus status) {
        switch (status) {
            case ACTIVE -> {}
            case SUSPENDED ->
                throw Problem.of(ErrorCode.TENANT_SUSPENDED, "The tenant is suspended. Resume it to access its data.")
                        .asException();
            case PROVISIONING, FAILED, DESTROYING ->
                throw Problem.of(
                                ErrorCode.TENANT_NOT_READY,
                                "The tenant is not provisioned, or is being destroyed. Read its status.")
                        .asException();
        }
    }

    /** Throws a problem if no object with this name is deployed. */
    public ObjectDefinition requireObject(String name) {
        var definition = objects.get(name);
        if (definition == null) {
            throw Problem.of(ErrorCode.OBJECT_NOT_FOUND, "No object with this name is deployed to the tenant.")
                    .asException();
        }
        return definition;
    }
}
