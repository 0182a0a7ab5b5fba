package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The permission of a project to contribute workers, with its limits. A null limit is no limit; an empty list allows none.
 */
public record ContributionPolicy(
        boolean allowed,
        @Nullable Integer maxWorkers,
        @Nullable List<String> allowedSkus,
        @Nullable List<String> allowedRegions) {
    public static final ContributionPolicy NONE = new ContributionPolicy(false, null, null, null);

    /** Returns why a project that has a number of workers cannot contribute another one; null if it can. */
    @Nullable
    Refusal check(long workers, @Nullable String sku, @Nullable String region) {
        if (!allowed) {
            return Refusal.of(
                    "contribution_not_allowed",
                    "The attachment does not allow this project to contribute workers. Ask the owner of the shared runtime.");
        }
        if (excludes(allowedSkus, sku)) {
            return Refusal.of(
                    "contribution_not_allowed", "The attachment allows the SKUs " + allowedSkus + ", not " + sku + ".");
        }
        if (excludes(allowedRegions, region)) {
            return Refusal.of(
                    "contribution_not_allowed",
                    "The attachment allows the regions " + allowedRegions + ", not " + region + ".");
        }
        return maxWorkers != null && workers >= maxWorkers
                ? Refusal.of(
                        "contribution_limit_reached",
                        "The project already contributes its maximum of " + maxWorkers + " workers. Remove one first.")
                : null;
    }

    /** Returns whether this policy would have refused a worker that exists; {@code position} counts from 0. */
    boolean isExceededBy(Worker worker, long position) {
        return check(position, worker.sku(), worker.region()) != null;
    }

    private static boolean excludes(@Nullable List<String> values, @Nullable String value) {
        return values != null && (value == null || !values.contains(value));
    }
}
