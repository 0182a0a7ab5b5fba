package dev.slipway.catalog.app;

import dev.slipway.catalog.policy.domain.Eligibility;
import org.jspecify.annotations.Nullable;

/** The JSON fields that tell whether the project of the request can launch an app or a version. */
public record LaunchFields(boolean launchable, @Nullable String notLaunchableReason) {
    public static LaunchFields of(Eligibility eligibility) {
        return new LaunchFields(eligibility.launchable(), eligibility.reason());
    }
}
