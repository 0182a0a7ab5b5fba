package dev.slipway.policy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** What policy says to an instance that is to be launched, or that runs. */
public final class LaunchRules {
    private LaunchRules() {}

    /**
     * What is launched and where; null is left open.
     *
     * @param artifactSources the addresses that its artifacts are pulled from
     */
    public record Asked(
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            @Nullable String region,
            @Nullable String sku,
            @Nullable Integer gpuCount,
            List<String> artifactSources) {}

    /** Why not: the code is of the error catalogue, the key is the one of policy that forbids it. */
    public record Refusal(String key, String code, String message) {}

    /** With the first region and SKU that are allowed, where the caller left them open and policy does not. */
    public static Asked placed(EffectivePolicy policy, Asked asked) {
        return new Asked(
                asked.appSlug,
                asked.operatingMode,
                asked.controlPlaneScope,
                asked.region != null ? asked.region : first(policy, PolicyKeys.ALLOWED_REGIONS),
                asked.sku != null ? asked.sku : first(policy, PolicyKeys.ALLOWED_SKUS),
                asked.gpuCount,
                asked.artifactSources);
    }

    /** Everything that forbids it; empty when it may be. */
    public static List<Refusal> refusals(EffectivePolicy policy, Asked asked) {
        var found = new ArrayList<Refusal>();
        if (!policy.allows(PolicyKeys.ALLOWED_APPS, asked.appSlug)) {
            found.add(new Refusal(
                    PolicyKeys.ALLOWED_APPS,
                    "app_denied",
                    "Policy does not let this project use " + asked.appSlug + ", by "
                            + policy.narrowedBy(PolicyKeys.ALLOWED_APPS) + "."));
        }
        oneOf(
                policy,
                PolicyKeys.OPERATING_MODES,
                asked.operatingMode,
                "operating_mode",
                "operating_mode_not_allowed",
                found);
        oneOf(
                policy,
                PolicyKeys.CONTROL_PLANE_SCOPES,
                asked.controlPlaneScope,
                "control_plane_scope",
                "control_plane_scope_not_allowed",
                found);
        oneOf(policy, PolicyKeys.ALLOWED_REGIONS, asked.region, "placement_intent.region", "region_not_allowed", found);
        oneOf(policy, PolicyKeys.ALLOWED_SKUS, asked.sku, "placement_intent.sku", "sku_not_allowed", found);
        var most = policy.limit(PolicyKeys.MAX_GPUS);
        if (asked.gpuCount != null && most.isPresent() && asked.gpuCount > most.getAsLong()) {
            found.add(new Refusal(
                    PolicyKeys.MAX_GPUS,
                    "gpu_limit_exceeded",
                    "Policy leaves an instance at most " + most.getAsLong() + " GPUs, by "
                            + policy.narrowedBy(PolicyKeys.MAX_GPUS) + "."));
        }
        // Where no level says anything, they come from the platform's own sources: that was seen to when they were
        // registered.
        asked.artifactSources.stream()
                .filter(source -> !policy.allowsAsSaid(PolicyKeys.ARTIFACT_SOURCES, source))
                .findFirst()
                .ifPresent(source -> found.add(new Refusal(
                        PolicyKeys.ARTIFACT_SOURCES,
                        "source_not_allowed",
                        "Policy does not allow this project artifacts from " + source + ", by "
                                + policy.narrowedBy(PolicyKeys.ARTIFACT_SOURCES) + ".")));
        return found;
    }

    /** What is left open is refused only where nothing is left to choose. */
    private static void oneOf(
            EffectivePolicy policy,
            String key,
            @Nullable String asked,
            String field,
            String code,
            List<Refusal> found) {
        var allowed = policy.allowed(key);
        var fits = asked == null ? allowed == null || !allowed.isEmpty() : policy.allows(key, asked);
        if (!fits) {
            found.add(new Refusal(
                    key,
                    code,
                    "Policy leaves this project a " + field + " of " + (allowed == null ? "others" : allowed) + ", by "
                            + policy.narrowedBy(key) + "."));
        }
    }

    private static @Nullable String first(EffectivePolicy policy, String key) {
        var allowed = policy.allowed(key);
        return allowed == null || allowed.isEmpty() ? null : allowed.get(0);
    }
}
