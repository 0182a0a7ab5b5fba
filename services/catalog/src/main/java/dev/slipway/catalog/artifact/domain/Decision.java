package dev.slipway.catalog.artifact.domain;

import org.jspecify.annotations.Nullable;

/** What the lifecycle answers to a command. */
public sealed interface Decision {
    /** It is done: the artifact after it, and what to announce. No event: nothing changed. */
    record Accepted(Artifact next, @Nullable ArtifactEvent event) implements Decision {}

    /** It is not done; the code is of the error catalogue. */
    record Refused(String code, String message) implements Decision {}
}
