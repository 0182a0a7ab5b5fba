package dev.slipway.catalog.version.domain;

/** What the lifecycle answers to a command. */
public sealed interface Decision {
    /** It is done: the state after it, and what happened. */
    record Accepted(AppVersion next, VersionEvent event) implements Decision {}

    /** It was so already. */
    record Unchanged(AppVersion as) implements Decision {}

    /** It is not done; the code is of the error catalogue. */
    record Refused(String code, String message) implements Decision {}
}
