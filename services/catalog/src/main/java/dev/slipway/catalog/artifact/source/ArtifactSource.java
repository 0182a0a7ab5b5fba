package dev.slipway.catalog.artifact.source;

import dev.slipway.catalog.artifact.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A source of artifacts. Digests are computed here and never taken from the source. Failures are {@link SourceException}s. */
public interface ArtifactSource {
    /**
     * Reads the artifact at the location and verifies its digest.
     *
     * @param blob whether to read a blob instead of a manifest
     */
    Future<FoundArtifact> find(SourceLocation at, Digest digest, boolean blob);

    /** Returns a reason for each part of the artifact that the source does not have, or has in another size. */
    Future<List<String>> findMissingParts(SourceLocation at, FoundArtifact foundArtifact);

    /** Returns the signatures stored next to the artifact. */
    Future<List<ArtifactSignature>> signatures(SourceLocation at, Digest digest);

    /** Returns the DSSE envelopes stored next to the artifact. */
    Future<List<Buffer>> attestations(SourceLocation at, Digest digest);

    /** An artifact with a verified digest, and the parts it refers to. */
    record FoundArtifact(Digest digest, @Nullable String mediaType, long sizeBytes, List<ArtifactPart> parts) {}

    record ArtifactPart(Digest digest, long sizeBytes, boolean manifest) {}

    /**
     * A signature.
     *
     * @param payload the signed payload; null if the artifact's digest was signed directly
     */
    record ArtifactSignature(@Nullable Buffer payload, byte[] signature) {}
}
