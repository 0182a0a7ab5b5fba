package dev.slipway.tenants.quota.domain;

import org.jspecify.annotations.Nullable;

/** The quotas of a plan; null means no limit. */
public record Quotas(
        @Nullable Long maxUsers,
        @Nullable Long maxStorageBytes,
        @Nullable Long apiRateLimit,
        @Nullable Long maxObjects,
        @Nullable Long maxRecordsPerObject,
        @Nullable Long maxDeploymentsPerDay) {

    public @Nullable Long limit(Quota quota) {
        return switch (quota) {
            case MAX_USERS -> maxUsers;
            case MAX_STORAGE_BYTES -> maxStorageBytes;
            case API_RATE_LIMIT -> apiRateLimit;
            case MAX_OBJECTS -> maxObjects;
            case MAX_RECORDS_PER_OBJECT -> maxRecordsPerObject;
            case MAX_DEPLOYMENTS_PER_DAY -> maxDeploymentsPerDay;
        };
    }

    /** Decides whether a user may use the tenant. A registered one may, even if the plan allows fewer users by now. */
    public QuotaResult checkUser(long users, boolean isRegistered) {
        return isRegistered
                ? new QuotaResult(true, null, users, limit(Quota.MAX_USERS), null)
                : check(Quota.MAX_USERS, users, 1);
    }

    /** Decides whether the usage may grow by the amount. */
    public QuotaResult check(Quota quota, long currentUsage, long amount) {
        var limit = limit(quota);
        return limit == null || currentUsage <= limit - amount
                ? new QuotaResult(true, null, currentUsage, limit, null)
                : QuotaResult.exceeded(quota, currentUsage, limit);
    }
}
