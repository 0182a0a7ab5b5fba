package dev.slipway.audit.evidence.domain;

import java.util.List;
import java.util.UUID;

/**
 * The evidence that a fast candidate takes from the candidate that validated its source revision.
 *
 * @param verdict the current verdict of the validated candidate: its evidence counts only while that is pass
 * @param types the families of the evidence types, as they were when the gates were evaluated
 */
public record CarryOver(UUID validatedReleaseId, GateVerdict verdict, List<TypeFamilies> types) {
    public CarryOver {
        types = List.copyOf(types);
    }

    /** Returns whether evidence about the source revision is taken from the validated candidate. */
    public boolean isValid() {
        return verdict == GateVerdict.PASS;
    }

    /** Returns whether the evidence counts for the fast candidate too. */
    boolean includes(EvidenceItem item) {
        return isValid()
                && validatedReleaseId.equals(item.carriedFrom())
                && types.stream()
                        .anyMatch(type ->
                                type.evidenceType().equals(item.type()) && type.isRevisionBound(item.subject()));
    }
}
