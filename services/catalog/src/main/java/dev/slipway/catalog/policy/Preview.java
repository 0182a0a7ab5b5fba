package dev.slipway.catalog.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.policy.PreviewStore.Held;
import dev.slipway.catalog.policy.PreviewStore.Launched;
import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.Refusal;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What falls outside between two policies: what is outside already is not told again. */
final class Preview {
    private static final int SHOWN = 20;

    private Preview() {}

    /** What becomes of an entitlement and its instances; null if nothing does. */
    static @Nullable ObjectNode item(
            PolicyKeys keys, List<PolicyDocument> said, PolicyDocument proposed, Held held, List<Launched> launched) {
        var now = new Levels(keys, keys, said);
        var then = now.with(proposed);
        var overrides = PreviewStore.overrides(keys, held);
        var outside = held.enabled()
                ? added(entitlement(now, overrides, held, launched), entitlement(then, overrides, held, launched))
                : List.<Refusal>of();
        var before = now.with(overrides).effective();
        var after = then.with(overrides).effective();
        var item = Json.object()
                .put("org_id", held.orgId().toString())
                .put("project_id", held.projectId().toString())
                .put("app_slug", held.appSlug());
        item.set("outside", json(outside));
        var shown = item.putArray("instances");
        var count = 0;
        for (var instance : launched) {
            var reasons = added(
                    LaunchRules.refusals(before, instance.asked()), LaunchRules.refusals(after, instance.asked()));
            if (!reasons.isEmpty() && ++count <= SHOWN) {
                shown.addObject()
                        .put("app_instance_id", instance.id().toString())
                        .put("status", instance.status())
                        .set("outside", json(reasons));
            }
        }
        item.put("instances_outside", count);
        return outside.isEmpty() && count == 0 ? null : item;
    }

    private static List<Refusal> entitlement(
            Levels levels, PolicyDocument overrides, Held held, List<Launched> launched) {
        var above = levels.above(Level.ENTITLEMENT);
        var found = new ArrayList<Refusal>();
        if (!above.allows(PolicyKeys.ALLOWED_APPS, held.appSlug())) {
            found.add(new Refusal(PolicyKeys.ALLOWED_APPS, "app_denied", "The app may not be used any more."));
        }
        for (var widening : above.widenings(overrides)) {
            found.add(new Refusal(
                    widening.key(),
                    "policy_widens",
                    "The entitlement says more than the level "
                            + widening.level().text() + " leaves."));
        }
        crowded(levels.with(overrides).effective(), launched, found);
        return found;
    }

    private static void crowded(EffectivePolicy policy, List<Launched> launched, List<Refusal> found) {
        var most = policy.limit(PolicyKeys.MAX_INSTANCES);
        if (most.isPresent() && launched.size() > most.getAsLong()) {
            found.add(new Refusal(
                    PolicyKeys.MAX_INSTANCES,
                    "instance_limit_reached",
                    "There are " + launched.size() + " instances, and " + most.getAsLong() + " would be allowed."));
        }
    }

    private static List<Refusal> added(List<Refusal> before, List<Refusal> after) {
        Set<String> known = new HashSet<>();
        before.forEach(each -> known.add(each.key()));
        return after.stream().filter(each -> !known.contains(each.key())).toList();
    }

    private static ArrayNode json(List<Refusal> refusals) {
        var array = Json.array();
        refusals.forEach(each -> array.addObject()
                .put("key", each.key())
                .put("code", each.code())
                .put("message", each.message()));
        return array;
    }
}
