package dev.slipway.policy;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.policy.LaunchRules.LaunchRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a project may launch an app version now. The catalog uses it to show the outcome in advance, the instances service to
 * enforce it.
 */
public final class LaunchEligibilityRule {
    private LaunchEligibilityRule() {}

    /** Lifecycle status of an app version. */
    public enum VersionStatus implements TextEnum {
        DRAFT,
        ACTIVE,
        DEPRECATED,
        DISABLED,
        RETIRED
    }

    /** The purpose of the version. An upgrade or rollback creates no instance; a rollback may return to a deprecated version. */
    public enum Purpose {
        LAUNCH,
        UPGRADE,
        ROLLBACK
    }

    /**
     * The app version, and the project's access to it.
     *
     * @param entitled whether the project has an enabled entitlement to the app
     * @param status null if the version does not exist
     * @param artifactRevoked whether the digest of one of the version's artifacts is revoked
     */
    public record Candidate(
            String appSlug,
            String version,
            boolean appExists,
            boolean appDisabled,
            boolean entitled,
            @Nullable VersionStatus status,
            boolean artifactRevoked) {}

    /**
     * Why a launch is refused.
     *
     * @param code an error code of the contract
     * @param policyKey the policy key that forbids it; null if the refusal does not come from policy
     */
    public record Refusal(
            String code, String message, @Nullable String policyKey) {
        private static Refusal of(String code, String message) {
            return new Refusal(code, message, null);
        }
    }

    /**
     * Returns the first reason against using the version, or null if there is none.
     *
     * @param liveInstances instances of the app in the project that are not deleted
     */
    public static @Nullable Refusal evaluate(
            Purpose purpose, Candidate candidate, EffectivePolicy policy, LaunchRequest request, long liveInstances) {
        var unavailable = checkVersion(purpose, candidate, policy);
        if (unavailable != null) {
            return unavailable;
        }
        var disabled = checkMutationsEnabled(policy);
        if (disabled != null) {
            return disabled;
        }
        var refusals = LaunchRules.findRefusals(policy, request);
        if (!refusals.isEmpty()) {
            var first = refusals.get(0);
            return new Refusal(first.code(), first.message(), first.key());
        }
        return purpose == Purpose.LAUNCH ? checkInstanceLimit(policy, liveInstances) : null;
    }

    /** Returns a refusal if policy has disabled launching and deleting instances, else null. */
    public static @Nullable Refusal checkMutationsEnabled(EffectivePolicy policy) {
        return policy.isOn(PolicyKeys.INSTANCE_MUTATIONS)
                ? null
                : new Refusal(
                        "feature_disabled",
                        "Launching and deleting instances is disabled by "
                                + policy.describeSource(PolicyKeys.INSTANCE_MUTATIONS) + ".",
                        PolicyKeys.INSTANCE_MUTATIONS);
    }

    private static @Nullable Refusal checkVersion(Purpose purpose, Candidate candidate, EffectivePolicy policy) {
        var app = candidate.appSlug;
        if (!candidate.appExists) {
            return Refusal.of("app_not_found", "App " + app + " does not exist in the catalog.");
        }
        if (candidate.appDisabled) {
            return Refusal.of(
                    "app_not_entitled", "App " + app + " is disabled: no project can launch it until it is enabled.");
        }
        if (!candidate.entitled) {
            return Refusal.of("app_not_entitled", "This project is not entitled to app " + app + ".");
        }
        var status = candidate.status;
        if (status == null || status == VersionStatus.DRAFT) {
            return Refusal.of("app_version_not_found", "App " + app + " has no version " + candidate.version + ".");
        }
        return switch (status) {
            case DRAFT, DISABLED, RETIRED ->
                Refusal.of(
                        "app_version_not_launchable",
                        "Version " + candidate.version + " is " + status.text() + ". Use an active version.");
            case DEPRECATED ->
                purpose == Purpose.ROLLBACK || policy.isOn(PolicyKeys.DEPRECATED_VERSIONS)
                        ? checkArtifacts(candidate)
                        : new Refusal(
                                "app_version_deprecated",
                                "Version " + candidate.version + " is deprecated. Use a newer version.",
                                PolicyKeys.DEPRECATED_VERSIONS);
            case ACTIVE -> checkArtifacts(candidate);
        };
    }

    private static @Nullable Refusal checkArtifacts(Candidate candidate) {
        return candidate.artifactRevoked
                ? Refusal.of(
                        "artifact_revoked",
                        "An artifact of version " + candidate.version + " is revoked. Use another version.")
                : null;
    }

    private static @Nullable Refusal checkInstanceLimit(EffectivePolicy policy, long liveInstances) {
        var limit = policy.limit(PolicyKeys.MAX_INSTANCES);
        return limit.isEmpty() || liveInstances < limit.getAsLong()
                ? null
                : new Refusal(
                        "instance_limit_reached",
                        "This project may have at most " + limit.getAsLong() + " instances of this app, set by "
                                + policy.describeSource(PolicyKeys.MAX_INSTANCES) + ". Delete one first.",
                        PolicyKeys.MAX_INSTANCES);
    }
}
