package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

/** The quotas of a tenant that limit deployments; null means no limit. */
public record DeploymentQuotas(
        @Nullable Long maxObjects, @Nullable Long maxDeploymentsPerDay) {
    /** Returns why the tenant may not have this number of objects, or null if it may. */
    public @Nullable String reasonAgainstObjects(int count) {
        return maxObjects == null || count <= maxObjects
                ? null
                : "The tenant would have " + count + " objects; its plan allows " + maxObjects
                        + ". Remove objects or change the plan.";
    }

    /** Returns why the tenant may not have this number of deployments today, or null if it may. */
    public @Nullable String reasonAgainstDeployment(long deploymentsToday) {
        return maxDeploymentsPerDay == null || deploymentsToday <= maxDeploymentsPerDay
                ? null
                : "The plan allows " + maxDeploymentsPerDay
                        + " deployments per day (UTC). Try again tomorrow or change the plan.";
    }
}
