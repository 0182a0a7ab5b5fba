package dev.slipway.catalog.app.version.domain;

/** The outcome of a lifecycle command. */
public sealed interface VersionDecision {
    /** The version changes to {@code next}. */
    record Accepted(AppVersion next, VersionEvent event) implements VersionDecision {}

    /** The version already is in the requested state. */
    record Unchanged(AppVersion current) implements VersionDecision {}

    /** The command is refused with an error code of the contract. */
    record Refused(String code, String message) implements VersionDecision {}
}
