package dev.slipway.catalog.policy;

import dev.slipway.catalog.policy.PolicyJson.ImpactItem;
import dev.slipway.catalog.policy.PolicyJson.ImpactedInstance;
import dev.slipway.catalog.policy.PreviewStore.AffectedEntitlement;
import dev.slipway.catalog.policy.PreviewStore.AffectedInstance;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.Refusal;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Computes which violations a policy change would add. Existing violations are not reported. */
final class PolicyImpact {
    private static final int MAX_LISTED = 20;

    private PolicyImpact() {}

    /** Returns the new violations of an entitlement and its instances, or null if there are none. */
    static @Nullable ImpactItem evaluate(
            PolicyKeys keys,
            List<PolicyDocument> documents,
            PolicyDocument proposed,
            AffectedEntitlement entitlement,
            List<AffectedInstance> instances) {
        var current = new PolicyLevels(keys, keys, documents);
        var changed = current.withDocument(proposed);
        var overrides = entitlement.overridesDocument(keys);
        var outside = entitlement.enabled()
                ? newRefusals(
                        entitlementRefusals(current, overrides, entitlement, instances),
                        entitlementRefusals(changed, overrides, entitlement, instances))
                : List.<Refusal>of();
        var before = current.withDocument(overrides).effective();
        var after = changed.withDocument(overrides).effective();
        var listed = new ArrayList<ImpactedInstance>();
        var count = 0;
        for (var instance : instances) {
            var refusals = newRefusals(
                    LaunchRules.findRefusals(before, instance.request()),
                    LaunchRules.findRefusals(after, instance.request()));
            if (!refusals.isEmpty() && ++count <= MAX_LISTED) {
                listed.add(new ImpactedInstance(instance.id(), instance.status(), refusals));
            }
        }
        return outside.isEmpty() && count == 0
                ? null
                : new ImpactItem(
                        entitlement.orgId(), entitlement.projectId(), entitlement.appSlug(), outside, listed, count);
    }

    private static List<Refusal> entitlementRefusals(
            PolicyLevels levels,
            PolicyDocument overrides,
            AffectedEntitlement entitlement,
            List<AffectedInstance> instances) {
        var above = levels.effectiveAbove(PolicyLevel.ENTITLEMENT);
        var refusals = new ArrayList<Refusal>();
        if (!above.allows(PolicyKeys.ALLOWED_APPS, entitlement.appSlug())) {
            refusals.add(new Refusal(PolicyKeys.ALLOWED_APPS, "app_denied", "The app would no longer be allowed."));
        }
        for (var widening : above.widenings(overrides)) {
            refusals.add(new Refusal(
                    widening.key(),
                    "policy_widens",
                    "The entitlement would allow more than the "
                            + widening.level().text() + " level."));
        }
        addLimitRefusal(levels.withDocument(overrides).effective(), instances, refusals);
        return refusals;
    }

    private static void addLimitRefusal(
            EffectivePolicy policy, List<AffectedInstance> instances, List<Refusal> refusals) {
        var limit = policy.limit(PolicyKeys.MAX_INSTANCES);
        if (limit.isPresent() && instances.size() > limit.getAsLong()) {
            refusals.add(new Refusal(
                    PolicyKeys.MAX_INSTANCES,
                    "instance_limit_reached",
                    "The project has " + instances.size() + " instances; " + limit.getAsLong() + " would be allowed."));
        }
    }

    private static List<Refusal> newRefusals(List<Refusal> before, List<Refusal> after) {
        Set<String> existing = new HashSet<>();
        before.forEach(refusal -> existing.add(refusal.key()));
        return after.stream()
                .filter(refusal -> !existing.contains(refusal.key()))
                .toList();
    }
}
