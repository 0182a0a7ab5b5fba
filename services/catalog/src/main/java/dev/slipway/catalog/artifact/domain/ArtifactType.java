package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;

import java.util.List;

/**
 * A kind of artifact, as its registry entry has it.
 *
 * @param deployable whether anything is deployed from it
 * @param channels those that its artifacts are promoted through, in their order
 * @param predicateTypes what an attestation may say of it; none: anything
 */
public record ArtifactType(
        String id,
        int version,
        boolean deployable,
        Signing signing,
        List<Channel> channels,
        List<String> predicateTypes) {

    /** What somebody we trust must have signed. */
    public enum Signing {
        NONE,
        SIGNATURE,
        ATTESTATION
    }
}
