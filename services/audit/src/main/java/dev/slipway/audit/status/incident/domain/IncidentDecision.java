package dev.slipway.audit.status.incident.domain;

/** The outcome of a command on an incident. */
public sealed interface IncidentDecision {
    /** The incident changes to {@code next}. */
    record Accepted(Incident next, IncidentEvent event) implements IncidentDecision {}

    /** The command is refused with an error code of the contract. */
    record Refused(String code, String message) implements IncidentDecision {}
}
