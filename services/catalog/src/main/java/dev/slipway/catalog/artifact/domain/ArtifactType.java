package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;

import java.util.List;

/**
 * An artifact type from the registry.
 *
 * @param deployable whether artifacts of this type are deployed
 * @param channels the channels for promotion, in order
 * @param predicateTypes the accepted predicate types of attestations; empty means any
 */
public record ArtifactType(
        String id,
        int version,
        boolean deployable,
        Signing signing,
        List<Channel> channels,
        List<String> predicateTypes) {

    /** The document that must be signed with a trusted key. */
    public enum Signing {
        NONE,
        SIGNATURE,
        ATTESTATION
    }
}
