package dev.slipway.tenants.quota.domain;

import org.jspecify.annotations.Nullable;

/** The result of a quota check. The quota and the message are null if the usage may grow. */
public record QuotaResult(
        boolean allowed,
        @Nullable Quota exceededQuota,
        @Nullable Long currentUsage,
        @Nullable Long limit,
        @Nullable String message) {

    public static QuotaResult exceeded(Quota quota, long currentUsage, long limit) {
        return new QuotaResult(
                false,
                quota,
                currentUsage,
                limit,
                "The plan allows " + limit + " " + quota.unit() + ", and " + currentUsage
                        + " are in use. Reduce the usage, or migrate the tenant to another plan.");
    }
}
