package dev.slipway.audit.status.maintenance.domain;

/** The outcome of a command on a maintenance window. */
public sealed interface MaintenanceDecision {
    /** The window changes to {@code next}; {@code eventType} is published. */
    record Accepted(Maintenance next, String eventType) implements MaintenanceDecision {}

    /** The command is refused with an error code of the contract. */
    record Refused(String code, String message) implements MaintenanceDecision {}
}
