package dev.slipway.instances.sharedruntime;

import dev.slipway.instances.launch.domain.LaunchEligibility.Policy;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest;
import dev.slipway.instances.sharedruntime.domain.RuntimeRequest.Eligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility;
import dev.slipway.instances.sharedruntime.domain.SharedRuntimeEligibility.OperatorIdentity;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule;
import dev.slipway.policy.LaunchEligibilityRule.Candidate;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * The inputs of the eligibility rule from an organization, an app version and their policy.
 *
 * @param existingId the runtime of the app that the organization already has; null without one
 * @param operator the requested operator identity; null if none is requested
 */
record SharedRuntimeInputs(
        @Nullable UUID appId,
        boolean appDisabled,
        @Nullable Version version,
        @Nullable VersionStatus versionStatus,
        boolean artifactRevoked,
        List<String> artifactSources,
        @Nullable UUID existingId,
        @Nullable OperatorIdentity operator,
        EffectivePolicy policy) {

    /** Applies the eligibility rule. */
    Eligibility evaluate(Purpose purpose, RuntimeRequest request) {
        var placement = request.placement();
        var launch = LaunchRules.withDefaultPlacement(
                policy,
                new LaunchRequest(
                        request.appSlug(),
                        SharedRuntime.OPERATING_MODE,
                        SharedRuntime.CONTROL_PLANE_SCOPE,
                        placement.region(),
                        placement.sku(),
                        placement.gpuCount(),
                        artifactSources));
        // An organization has no entitlements: its projects have them.
        var candidate = new Candidate(
                request.appSlug(),
                request.appVersion(),
                appId != null,
                appDisabled,
                true,
                versionStatus,
                artifactRevoked);
        var refusal = LaunchEligibilityRule.evaluate(purpose, candidate, policy, launch, 0);
        return new Eligibility(
                appId,
                version,
                new Policy(policy.version(), new Placement(launch.region(), launch.sku(), launch.gpuCount())),
                existingId,
                SharedRuntimeEligibility.checkOperator(request.orgId(), operator),
                refusal == null ? null : Refusal.of(refusal.code(), refusal.message()));
    }
}
