package dev.slipway.catalog.version.domain;

/** What happened to a version. Of drafts nobody but administrators is told. */
public sealed interface VersionEvent {
    record Replaced() implements VersionEvent {}

    record Discarded() implements VersionEvent {}

    record Published() implements VersionEvent {}

    record MarkedDeprecated() implements VersionEvent {}

    record Disabled() implements VersionEvent {}

    record Retired() implements VersionEvent {}
}
