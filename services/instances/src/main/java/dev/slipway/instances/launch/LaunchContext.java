package dev.slipway.instances.launch;

import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.ManifestSpec;
import dev.slipway.instances.launch.domain.ResolvedConfig;
import dev.slipway.instances.spending.domain.CostEstimate.ExpectedUsage;
import dev.slipway.instances.spending.domain.Spending;
import dev.slipway.policy.EffectivePolicy;
import org.jspecify.annotations.Nullable;

import java.util.Set;

/**
 * The inputs of the decision on a launch.
 *
 * @param manifest null if there is no such version
 * @param quota null without a limit, or if policy refuses the launch anyway
 * @param plan the plan to launch by; null without one
 */
public record LaunchContext(
        LaunchEligibility eligibility,
        @Nullable CompiledManifest manifest,
        ResolvedConfig config,
        EffectivePolicy policy,
        @Nullable Quota quota,
        @Nullable LaunchPlan plan) {
    LaunchContext withAttached(boolean attached) {
        return new LaunchContext(eligibility.withAttached(attached), manifest, config, policy, quota, plan);
    }

    LaunchContext withSpending(Spending spending) {
        return new LaunchContext(eligibility.withSpending(spending), manifest, config, policy, quota, plan);
    }

    /** Returns the usage that the running instance is expected to have. */
    ExpectedUsage expectedUsage() {
        return ExpectedUsage.ofRunning(
                manifest == null ? Set.of() : manifest.spec().usageUnits(),
                eligibility.policy().placement().gpuCount());
    }

    public @Nullable ManifestSpec manifestSpec() {
        return manifest == null ? null : manifest.spec();
    }

    /** The limit of instances of an app in the project, and how many there are. */
    public record Quota(long limit, long used) {}
}
