package dev.slipway.instances.appinstance;

import dev.slipway.contract.Json;
import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The policy documents that apply to a launch in a project. */
public record LaunchPolicy(PolicyKeys keys, List<PolicyDocument> documents) {
    /** Parses the registered policy keys, as JSON text. */
    static PolicyKeys parseKeys(String registered) {
        var entries = new ArrayList<PolicyKeys.RegisteredKey>();
        for (var entry : Json.parseStoredObject(registered).path("items")) {
            entries.add(new PolicyKeys.RegisteredKey(
                    entry.path("id").asText(),
                    entry.path("version").asInt(),
                    entry.path("state").asText(),
                    entry.path("body")));
        }
        return PolicyKeys.effectiveKeys(entries);
    }

    /** Parses the documents of the levels that apply to a project, as JSON text. */
    public static LaunchPolicy parse(PolicyKeys keys, String levels) {
        var documents = new ArrayList<PolicyDocument>();
        for (var each : Json.parseStoredObject(levels).path("items")) {
            documents.add(PolicyDocument.fromStored(
                    keys,
                    PolicyLevel.of(each.path("level").asText()),
                    each.path("subject_id").asText(),
                    each.path("version").asLong(),
                    each.path("values"),
                    each.path("hard_denies")));
        }
        return new LaunchPolicy(keys, documents);
    }

    public LaunchPolicy withEntitlement(UUID entitlementId, long version, String overrides) {
        var all = new ArrayList<>(documents);
        all.add(PolicyDocument.fromStored(
                keys,
                PolicyLevel.ENTITLEMENT,
                entitlementId.toString(),
                version,
                Json.parseStoredObject(overrides),
                Json.object()));
        return new LaunchPolicy(keys, all);
    }

    public EffectivePolicy effective() {
        return EffectivePolicy.compute(keys, documents);
    }
}
