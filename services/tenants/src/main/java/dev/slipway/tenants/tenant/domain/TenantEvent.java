package dev.slipway.tenants.tenant.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** An event of a tenant. The components are the fields of the event beside those of the tenant. */
public sealed interface TenantEvent {
    /** Returns the type of the event on the topic. */
    String type();

    /** A tenant was requested. */
    record Requested() implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.requested";
        }
    }

    /** A provisioning step ended. */
    record StepChanged(
            ProvisioningStep.Name step,
            ProvisioningStep.Status stepStatus,
            @Nullable String error) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.step_changed";
        }
    }

    /** The tenant is provisioned. */
    record Activated() implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.activated";
        }
    }

    /** Provisioning failed. */
    record Failed(@Nullable String error) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.failed";
        }
    }

    /** Access was suspended. */
    record Suspended(@Nullable String reason) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.suspended";
        }
    }

    /** Access was restored. */
    record Resumed() implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.resumed";
        }
    }

    /** The plan was changed. */
    record PlanChanged(TenantPlan previousPlan) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.plan_changed";
        }
    }

    /** Destruction was requested. */
    record Destroying(Instant destroyAfter, boolean finalDump) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.destroying";
        }
    }

    /** The data was deleted. */
    record Destroyed(@Nullable UUID dumpId) implements TenantEvent {
        @Override
        public String type() {
            return "tenants.tenant.destroyed";
        }
    }
}
