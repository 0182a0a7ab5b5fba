package dev.slipway.tenants.quota.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * The usage of a tenant.
 *
 * @param lastUpdatedAt when users, storage and records were measured; null before the first measurement
 */
public record TenantUsage(
        long currentUsers,
        long currentStorageBytes,
        long currentObjectCount,
        long currentRecordCount,
        long deploymentsToday,
        long apiRequestsThisMinute,
        @Nullable Instant lastUpdatedAt) {

    /** Returns the usage that a quota limits; records are counted per object elsewhere. */
    public long of(Quota quota) {
        return switch (quota) {
            case MAX_USERS -> currentUsers;
            case MAX_STORAGE_BYTES -> currentStorageBytes;
            case API_RATE_LIMIT -> apiRequestsThisMinute;
            case MAX_OBJECTS -> currentObjectCount;
            case MAX_RECORDS_PER_OBJECT -> currentRecordCount;
            case MAX_DEPLOYMENTS_PER_DAY -> deploymentsToday;
        };
    }
}
