package dev.slipway.catalog.entitlement;

import dev.slipway.catalog.entitlement.LaunchabilityStore.Held;
import dev.slipway.catalog.policy.Levels;
import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.Asked;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Whether a project could launch a version now, as far as the catalog knows; whether it may is decided when it does. */
public final class Launchability {
    private final PolicyStore policies;
    private final LaunchabilityStore store;

    /** The reason is the code that a launch would be refused with. */
    public record Verdict(boolean launchable, @Nullable String reason) {
        private static final Verdict YES = new Verdict(true, null);
    }

    public Launchability(PolicyStore policies, LaunchabilityStore store) {
        this.policies = policies;
        this.store = store;
    }

    /** By version; one that is not known is absent. */
    public Future<Map<UUID, Verdict>> of(UUID orgId, UUID projectId, List<UUID> versionIds) {
        if (versionIds.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var levels = policies.ofProject(orgId, projectId, null);
        var held = store.held(orgId, projectId, versionIds);
        return Future.all(levels, held).map(ok -> {
            var verdicts = new HashMap<UUID, Verdict>();
            var byApp = new HashMap<String, EffectivePolicy>();
            for (var each : held.result()) {
                var policy = byApp.computeIfAbsent(each.appSlug(), slug -> policy(levels.result(), each));
                var reason = reason(policy, each);
                verdicts.put(each.versionId(), reason == null ? Verdict.YES : new Verdict(false, reason));
            }
            return verdicts;
        });
    }

    private static EffectivePolicy policy(Levels levels, Held held) {
        var entitlementId = held.entitlementId();
        return entitlementId == null
                ? levels.effective()
                : levels.with(PolicyDocument.stored(
                                levels.keys(),
                                Level.ENTITLEMENT,
                                entitlementId.toString(),
                                held.revision(),
                                Json.trusted(held.overrides()),
                                Json.object()))
                        .effective();
    }

    private static @Nullable String reason(EffectivePolicy policy, Held held) {
        if (!held.enabled() || held.appStatus().equals("disabled")) {
            return "app_not_entitled";
        }
        if (held.versionStatus().equals("deprecated")) {
            if (!policy.isOn(PolicyKeys.DEPRECATED_VERSIONS)) {
                return "app_version_deprecated";
            }
        } else if (!held.versionStatus().equals("active")) {
            return "app_version_not_launchable";
        }
        if (!policy.isOn(PolicyKeys.INSTANCE_MUTATIONS)) {
            return "feature_disabled";
        }
        var most = policy.limit(PolicyKeys.MAX_INSTANCES);
        if (most.isPresent() && held.live() >= most.getAsLong()) {
            return "instance_limit_reached";
        }
        // With whatever mode and scope are left: what a caller would ask for is not known here.
        var asked = new Asked(
                held.appSlug(),
                first(policy, PolicyKeys.OPERATING_MODES),
                first(policy, PolicyKeys.CONTROL_PLANE_SCOPES),
                null,
                null,
                null,
                held.artifactSources());
        var refusals = LaunchRules.refusals(policy, asked);
        return refusals.isEmpty() ? null : refusals.get(0).code();
    }

    private static String first(EffectivePolicy policy, String key) {
        var allowed = policy.allowed(key);
        return allowed == null || allowed.isEmpty() ? "" : allowed.get(0);
    }
}
