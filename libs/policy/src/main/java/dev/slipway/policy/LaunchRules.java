package dev.slipway.policy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Checks the parameters of a launch, or of a running instance, against an effective policy. */
public final class LaunchRules {
    private LaunchRules() {}

    /**
     * The parameters of a launch. Null leaves a parameter unspecified.
     *
     * @param artifactSources the addresses from which the version's artifacts are pulled
     */
    public record LaunchRequest(
            String appSlug,
            @Nullable String operatingMode,
            @Nullable String controlPlaneScope,
            @Nullable String region,
            @Nullable String sku,
            @Nullable Integer gpuCount,
            List<String> artifactSources) {

        /** Returns a request that leaves everything but the app unspecified. */
        public static LaunchRequest unspecified(String appSlug, List<String> artifactSources) {
            return new LaunchRequest(appSlug, null, null, null, null, null, artifactSources);
        }
    }

    /**
     * A violation of policy.
     *
     * @param key the policy key that forbids it
     * @param code an error code of the contract
     */
    public record Refusal(String key, String code, String message) {}

    /** Returns the request with region and SKU set to the first allowed value where they are unspecified and policy restricts them. */
    public static LaunchRequest withDefaultPlacement(EffectivePolicy policy, LaunchRequest request) {
        return new LaunchRequest(
                request.appSlug,
                request.operatingMode,
                request.controlPlaneScope,
                request.region != null ? request.region : firstAllowed(policy, PolicyKeys.ALLOWED_REGIONS),
                request.sku != null ? request.sku : firstAllowed(policy, PolicyKeys.ALLOWED_SKUS),
                request.gpuCount,
                request.artifactSources);
    }

    /** Returns all violations, in a fixed order; empty if the request is allowed. */
    public static List<Refusal> findRefusals(EffectivePolicy policy, LaunchRequest request) {
        var refusals = new ArrayList<Refusal>();
        if (!policy.allows(PolicyKeys.ALLOWED_APPS, request.appSlug)) {
            refusals.add(new Refusal(
                    PolicyKeys.ALLOWED_APPS,
                    "app_denied",
                    "This project may not use app " + request.appSlug + ", set by "
                            + policy.describeSource(PolicyKeys.ALLOWED_APPS) + "."));
        }
        requireAllowed(
                policy,
                PolicyKeys.OPERATING_MODES,
                request.operatingMode,
                "operating_mode",
                "operating_mode_not_allowed",
                refusals);
        requireAllowed(
                policy,
                PolicyKeys.CONTROL_PLANE_SCOPES,
                request.controlPlaneScope,
                "control_plane_scope",
                "control_plane_scope_not_allowed",
                refusals);
        requireAllowed(
                policy,
                PolicyKeys.ALLOWED_REGIONS,
                request.region,
                "placement_intent.region",
                "region_not_allowed",
                refusals);
        requireAllowed(
                policy, PolicyKeys.ALLOWED_SKUS, request.sku, "placement_intent.sku", "sku_not_allowed", refusals);
        var maxGpus = policy.limit(PolicyKeys.MAX_GPUS);
        if (request.gpuCount != null && maxGpus.isPresent() && request.gpuCount > maxGpus.getAsLong()) {
            refusals.add(new Refusal(
                    PolicyKeys.MAX_GPUS,
                    "gpu_limit_exceeded",
                    "An instance may have at most " + maxGpus.getAsLong() + " GPUs, set by "
                            + policy.describeSource(PolicyKeys.MAX_GPUS) + "."));
        }
        // If no level sets the key, only the platform's own sources are allowed; registration has checked that.
        request.artifactSources.stream()
                .filter(source -> !policy.allowsExplicitly(PolicyKeys.ARTIFACT_SOURCES, source))
                .findFirst()
                .ifPresent(source -> refusals.add(new Refusal(
                        PolicyKeys.ARTIFACT_SOURCES,
                        "source_not_allowed",
                        "This project may not use artifacts from " + source + ", set by "
                                + policy.describeSource(PolicyKeys.ARTIFACT_SOURCES) + ".")));
        return refusals;
    }

    /** An unspecified value is refused only if policy allows no value at all. */
    private static void requireAllowed(
            EffectivePolicy policy,
            String key,
            @Nullable String value,
            String field,
            String code,
            List<Refusal> refusals) {
        var allowed = policy.allowed(key);
        var fits = value == null ? allowed == null || !allowed.isEmpty() : policy.allows(key, value);
        if (!fits) {
            refusals.add(new Refusal(
                    key,
                    code,
                    (value == null ? "No " + field : field + " " + value) + " is "
                            + (value == null ? "" : "not ") + "allowed. Allowed values: "
                            + (allowed == null ? "all but the denied ones" : allowed) + ", set by "
                            + policy.describeSource(key) + "."));
        }
    }

    private static @Nullable String firstAllowed(EffectivePolicy policy, String key) {
        var allowed = policy.allowed(key);
        return allowed == null || allowed.isEmpty() ? null : allowed.get(0);
    }
}
