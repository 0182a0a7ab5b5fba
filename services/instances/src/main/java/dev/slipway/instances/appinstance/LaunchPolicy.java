package dev.slipway.instances.appinstance;

import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.Admission.Policy;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.appinstance.domain.Placement;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.LaunchRules;
import dev.slipway.policy.LaunchRules.Asked;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What the effective policy makes of a launch. */
final class LaunchPolicy {
    private static final Refused SWITCHED_OFF =
            new Refused("feature_disabled", "Policy has launching and deleting instances switched off.");

    private LaunchPolicy() {}

    static PolicyKeys keys(String registered) {
        var entries = new ArrayList<PolicyKeys.Entry>();
        for (var entry : Json.trusted(registered).path("items")) {
            entries.add(new PolicyKeys.Entry(
                    entry.path("id").asText(),
                    entry.path("version").asInt(),
                    entry.path("state").asText(),
                    entry.path("body")));
        }
        return PolicyKeys.inForce(entries);
    }

    /** What each level says that speaks to a project. */
    record Said(PolicyKeys keys, List<PolicyDocument> documents) {
        EffectivePolicy effective() {
            return EffectivePolicy.compute(keys, documents);
        }

        /** With what the entitlement to an app says. */
        Said with(UUID entitlementId, long version, String overrides) {
            var more = new ArrayList<>(documents);
            more.add(PolicyDocument.stored(
                    keys,
                    Level.ENTITLEMENT,
                    entitlementId.toString(),
                    version,
                    Json.trusted(overrides),
                    Json.object()));
            return new Said(keys, more);
        }
    }

    static Said said(PolicyKeys keys, String levels) {
        var documents = new ArrayList<PolicyDocument>();
        for (var each : Json.trusted(levels).path("items")) {
            documents.add(PolicyDocument.stored(
                    keys,
                    Level.of(each.path("level").asText()),
                    each.path("subject_id").asText(),
                    each.path("version").asLong(),
                    each.path("values"),
                    each.path("hard_denies")));
        }
        return new Said(keys, documents);
    }

    /** {@code artifactSources}: where what is launched is pulled from. */
    static Policy judged(EffectivePolicy policy, Launch launch, List<String> artifactSources) {
        var placement = launch.placement();
        var asked = LaunchRules.placed(
                policy,
                new Asked(
                        launch.appSlug(),
                        launch.operatingMode(),
                        launch.controlPlaneScope(),
                        placement.region(),
                        placement.sku(),
                        placement.gpuCount(),
                        artifactSources));
        return new Policy(
                policy.version(),
                new Placement(asked.region(), asked.sku(), asked.gpuCount()),
                policy.isOn(PolicyKeys.DEPRECATED_VERSIONS),
                refusal(policy, asked));
    }

    private static @Nullable Refused refusal(EffectivePolicy policy, Asked asked) {
        var off = switchedOff(policy);
        if (off != null) {
            return off;
        }
        var refusals = LaunchRules.refusals(policy, asked);
        return refusals.isEmpty()
                ? null
                : new Refused(refusals.get(0).code(), refusals.get(0).message());
    }

    static @Nullable Refused switchedOff(EffectivePolicy policy) {
        return policy.isOn(PolicyKeys.INSTANCE_MUTATIONS) ? null : SWITCHED_OFF;
    }

    /** A project that has as many instances of an app as it may have. */
    static Policy full(Policy policy, EffectivePolicy effective, long limit) {
        return new Policy(
                policy.version(),
                policy.placement(),
                policy.deprecatedAllowed(),
                new Refused(
                        "instance_limit_reached",
                        "Policy leaves this project at most " + limit + " instances of this app, by "
                                + effective.narrowedBy(PolicyKeys.MAX_INSTANCES) + ". Delete one first."));
    }
}
