package dev.slipway.catalog.policy;

import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.policy.PolicyLevel;

import java.util.ArrayList;
import java.util.List;

/**
 * The policy documents that apply to a subject.
 *
 * @param keys the keys that are evaluated
 * @param writable the keys that documents may set
 */
public record PolicyLevels(PolicyKeys keys, PolicyKeys writable, List<PolicyDocument> documents) {

    public EffectivePolicy effective() {
        return EffectivePolicy.compute(keys, documents);
    }

    /** Returns the effective policy of the levels above the given one. */
    public EffectivePolicy effectiveAbove(PolicyLevel level) {
        return EffectivePolicy.compute(
                keys,
                documents.stream()
                        .filter(document -> document.level().isAbove(level))
                        .toList());
    }

    /** Returns the levels with the document of its level replaced. */
    public PolicyLevels withDocument(PolicyDocument proposed) {
        var others = new ArrayList<PolicyDocument>();
        for (var document : documents) {
            if (document.level() != proposed.level()) {
                others.add(document);
            }
        }
        others.add(proposed);
        return new PolicyLevels(keys, writable, others);
    }
}
