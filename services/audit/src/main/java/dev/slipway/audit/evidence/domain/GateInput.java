package dev.slipway.audit.evidence.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/**
 * The inputs of the verdict of a gate.
 *
 * @param requirements the requirements of all gates
 * @param items the current evidence of the release: one per type and subject; of a fast release also that of the validated one
 * @param carryOver what a fast release takes from the validated one; null if the release is not fast
 */
public record GateInput(
        ReleaseAttributes release,
        List<GateRequirement> requirements,
        List<EvidenceItem> items,
        List<Waiver> waivers,
        Instant evaluatedAt,
        @Nullable CarryOver carryOver) {
    public GateInput {
        requirements = List.copyOf(requirements);
        items = List.copyOf(items);
        waivers = List.copyOf(waivers);
    }
}
