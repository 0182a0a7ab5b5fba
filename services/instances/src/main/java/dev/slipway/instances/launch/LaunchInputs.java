package dev.slipway.instances.launch;

import dev.slipway.instances.launch.LaunchContext.Quota;
import dev.slipway.instances.launch.domain.Launch;
import dev.slipway.instances.launch.domain.LaunchEligibility;
import dev.slipway.instances.launch.domain.LaunchEligibility.Policy;
import dev.slipway.instances.launch.domain.LaunchEligibility.Version;
import dev.slipway.instances.launch.domain.Placement;
import dev.slipway.operations.domain.Refusal;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule;
import dev.slipway.policy.LaunchEligibilityRule.Candidate;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import dev.slipway.policy.PolicyKeys;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;

/**
 * The inputs of the eligibility rule from a project, an app version and their policy.
 *
 * @param projectVersion number that the database increments with every change of the project's own data
 * @param globalVersion the same for the data that all projects share
 * @param operatorId the requested account, or the project's own; null unless it is active, of this project and may report
 */
public record LaunchInputs(
        long projectVersion,
        long globalVersion,
        UUID orgId,
        @Nullable UUID appId,
        @Nullable Version version,
        long versionRevision,
        boolean appDisabled,
        boolean entitled,
        @Nullable VersionStatus versionStatus,
        boolean artifactRevoked,
        EffectivePolicy policy,
        List<String> artifactSources,
        @Nullable UUID operatorId) {

    /** The fields of a launch that determine its inputs. */
    record Key(
            UUID projectId,
            String appSlug,
            String version,
            @Nullable UUID operatorId,
            UUID userId) {
        static Key of(Launch launch) {
            return new Key(
                    launch.projectId(),
                    launch.appSlug(),
                    launch.appVersion(),
                    launch.operatorServiceAccountId(),
                    launch.requestedByUserId());
        }
    }

    /**
     * The result of the eligibility rule.
     *
     * @param policyRefusal its refusal if policy is the reason, else null
     * @param quota null without a limit, or if policy refuses the launch for another reason
     */
    public record Evaluation(
            LaunchEligibility eligibility,
            @Nullable Refusal policyRefusal,
            @Nullable Quota quota) {}

    @Nullable
    UUID versionId() {
        return version == null ? null : version.id();
    }

    /** Applies the eligibility rule. */
    public Evaluation evaluate(Purpose purpose, Launch launch, @Nullable Quota quota) {
        var placement = launch.placement();
        var request = LaunchRules.withDefaultPlacement(
                policy,
                new LaunchRequest(
                        launch.appSlug(),
                        launch.operatingMode(),
                        launch.controlPlaneScope(),
                        placement.region(),
                        placement.sku(),
                        placement.gpuCount(),
                        artifactSources));
        var candidate = new Candidate(
                launch.appSlug(),
                launch.appVersion(),
                appId != null,
                appDisabled,
                entitled,
                versionStatus,
                artifactRevoked);
        var refusal =
                LaunchEligibilityRule.evaluate(purpose, candidate, policy, request, quota == null ? 0 : quota.used());
        var refused = refusal == null ? null : Refusal.of(refusal.code(), refusal.message());
        var eligibility = new LaunchEligibility(
                orgId,
                appId,
                version,
                new Policy(policy.version(), new Placement(request.region(), request.sku(), request.gpuCount())),
                operatorId,
                refused);
        var policyKey = refusal == null ? null : refusal.policyKey();
        var isQuotaRelevant = policyKey == null || policyKey.equals(PolicyKeys.MAX_INSTANCES);
        return new Evaluation(eligibility, policyKey == null ? null : refused, isQuotaRelevant ? quota : null);
    }
}
