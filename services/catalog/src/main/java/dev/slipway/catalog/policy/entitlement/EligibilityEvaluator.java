package dev.slipway.catalog.policy.entitlement;

import dev.slipway.catalog.policy.EffectivePolicyStore;
import dev.slipway.catalog.policy.PolicyLevels;
import dev.slipway.catalog.policy.domain.Eligibility;
import dev.slipway.catalog.policy.entitlement.EligibilityStore.EligibilityInputs;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchEligibilityRule;
import dev.slipway.policy.LaunchEligibilityRule.Candidate;
import dev.slipway.policy.LaunchEligibilityRule.Purpose;
import dev.slipway.policy.LaunchEligibilityRule.VersionStatus;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyLevel;
import io.vertx.core.Future;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Evaluates whether a project can launch versions now. The instances service decides again at launch. */
public final class EligibilityEvaluator {
    private final EffectivePolicyStore policies;
    private final EligibilityStore store;

    public EligibilityEvaluator(EffectivePolicyStore policies, EligibilityStore store) {
        this.policies = policies;
        this.store = store;
    }

    /** Returns the eligibility by version id; versions that do not exist are missing. */
    public Future<Map<UUID, Eligibility>> evaluate(UUID orgId, UUID projectId, List<UUID> versionIds) {
        if (versionIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var levels = policies.findForProject(orgId, projectId, null);
        var inputs = store.load(orgId, projectId, versionIds);
        return Future.all(levels, inputs).map(ok -> {
            var byVersion = new HashMap<UUID, Eligibility>();
            var policyByApp = new HashMap<String, EffectivePolicy>();
            for (var each : inputs.result()) {
                var policy =
                        policyByApp.computeIfAbsent(each.appSlug(), slug -> effectivePolicy(levels.result(), each));
                byVersion.put(each.versionId(), evaluate(policy, each));
            }
            return byVersion;
        });
    }

    /** Returns the policy of the project, narrowed by its entitlement to the app. */
    public static EffectivePolicy effectivePolicy(PolicyLevels levels, EligibilityInputs inputs) {
        var entitlementId = inputs.entitlementId();
        return entitlementId == null
                ? levels.effective()
                : levels.withDocument(PolicyDocument.fromStored(
                                levels.keys(),
                                PolicyLevel.ENTITLEMENT,
                                entitlementId.toString(),
                                inputs.revision(),
                                Json.parseStoredObject(inputs.overrides()),
                                Json.object()))
                        .effective();
    }

    /** Evaluates a launch that leaves mode, scope and placement unspecified: the catalog does not know what a caller will request. */
    public static Eligibility evaluate(EffectivePolicy policy, EligibilityInputs inputs) {
        var candidate = new Candidate(
                inputs.appSlug(),
                inputs.version(),
                true,
                inputs.appStatus().equals("disabled"),
                inputs.enabled(),
                TextEnum.parse(VersionStatus.class, inputs.versionStatus()),
                inputs.artifactRevoked());
        var refusal = LaunchEligibilityRule.evaluate(
                Purpose.LAUNCH,
                candidate,
                policy,
                LaunchRequest.unspecified(inputs.appSlug(), inputs.artifactSources()),
                inputs.liveInstances());
        return new Eligibility(refusal == null, refusal == null ? null : refusal.code());
    }
}
