package dev.slipway.metering.usage.domain;

/** The decision on a reported fact. */
public sealed interface FactDecision {

    /** The fact is valid, with its attribution complete. */
    record Valid(AttributedFact fact) implements FactDecision {}

    /** The fact is not counted: {@code field} has the problem. */
    record Rejected(String field, String problem) implements FactDecision {}
}
