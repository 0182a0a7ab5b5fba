package dev.slipway.catalog.policy;

import dev.slipway.policy.EffectivePolicy;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;

import java.util.ArrayList;
import java.util.List;

/** What all levels say that speak to somebody, and the keys that they may speak of. */
public record Levels(PolicyKeys keys, PolicyKeys writable, List<PolicyDocument> documents) {

    public EffectivePolicy effective() {
        return EffectivePolicy.compute(keys, documents);
    }

    /** What the levels above one leave to it. */
    public EffectivePolicy above(Level level) {
        return EffectivePolicy.compute(
                keys,
                documents.stream().filter(each -> each.level().isAbove(level)).toList());
    }

    /** With another document in the place of the one of its level. */
    public Levels with(PolicyDocument proposed) {
        var others = new ArrayList<PolicyDocument>();
        for (var each : documents) {
            if (each.level() != proposed.level()) {
                others.add(each);
            }
        }
        others.add(proposed);
        return new Levels(keys, writable, others);
    }
}
