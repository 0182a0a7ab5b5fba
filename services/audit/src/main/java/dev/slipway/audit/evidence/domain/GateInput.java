package dev.slipway.audit.evidence.domain;

import java.time.Instant;
import java.util.List;

/**
 * Everything that the verdict of a gate depends on.
 *
 * @param requirements the requirements of all gates
 * @param items the current evidence of the release: one per type and subject
 */
public record GateInput(
        ReleaseAttributes release,
        List<GateRequirement> requirements,
        List<EvidenceItem> items,
        List<Waiver> waivers,
        Instant evaluatedAt) {
    public GateInput {
        requirements = List.copyOf(requirements);
        items = List.copyOf(items);
        waivers = List.copyOf(waivers);
    }
}
