package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;

import java.util.List;

/**
 * The evidence of one type that a gate requires, as the evidence-type registry defines it.
 *
 * @param subjects the subjects that evidence is needed for
 * @param anySubject whether evidence for one of the subjects suffices
 * @param passingResults the results that satisfy the gate
 * @param environmentBound whether evidence counts only for the environment that it names
 */
public record GateRequirement(
        String evidenceType,
        int typeVersion,
        Gate gate,
        Applicability appliesTo,
        List<String> subjects,
        boolean anySubject,
        List<String> passingResults,
        boolean environmentBound) {
    public GateRequirement {
        subjects = List.copyOf(subjects);
        passingResults = List.copyOf(passingResults);
    }

    /** The releases that a requirement applies to. */
    public enum Applicability implements TextEnum {
        ALL,
        PRODUCTION_IMPACTING,
        CAPACITY_IMPACTING,
        RELEASE_RISKING,
        /** Security findings of the release were triaged: reviewed and accepted, but not fixed. */
        TRIAGED_SCAN
    }
}
