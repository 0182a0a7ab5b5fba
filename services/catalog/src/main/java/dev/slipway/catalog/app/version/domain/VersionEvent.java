package dev.slipway.catalog.app.version.domain;

/** A change of a version. Changes of drafts are not published. */
public sealed interface VersionEvent {
    record Replaced() implements VersionEvent {}

    record Discarded() implements VersionEvent {}

    record Published() implements VersionEvent {}

    record MarkedDeprecated() implements VersionEvent {}

    record Disabled() implements VersionEvent {}

    record Retired() implements VersionEvent {}
}
