package dev.slipway.catalog.artifact.domain;

import org.jspecify.annotations.Nullable;

/** The outcome of a lifecycle command. */
public sealed interface ArtifactDecision {
    /** The artifact changes to {@code next}. {@code event} is null if it already was in the requested state. */
    record Accepted(Artifact next, @Nullable ArtifactEvent event) implements ArtifactDecision {}

    /** The command is refused with an error code of the contract. */
    record Refused(String code, String message) implements ArtifactDecision {}
}
