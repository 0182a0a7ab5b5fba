package dev.slipway.metering.usage.domain;

/** The decision on a reported fact. */
public sealed interface FactDecision {

    /** The fact is valid, with its attribution complete. */
    record Valid(AttributedFact fact) implements FactDecision {}

    /**
     * The fact is not counted: {@code field} has the problem.
     *
     * @param isUnknown whether the field names a resource or unit that this service does not know, perhaps because it is not replicated yet
     */
    record Rejected(String field, String problem, boolean isUnknown) implements FactDecision {
        Rejected(String field, String problem) {
            this(field, problem, false);
        }
    }
}
