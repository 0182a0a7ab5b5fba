package dev.slipway.catalog.source;

import dev.slipway.catalog.source.domain.Digest;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** Something that keeps artifacts. Whatever it says of itself, digests are taken here; failures are {@link SourceException}s. */
public interface ArtifactSource {
    /**
     * Reads what is at the location, and holds it against the digest.
     *
     * @param blob whether bytes are meant, where the source also has manifests
     */
    Future<Found> find(Location at, Digest digest, boolean blob);

    /** What the found artifact consists of and the source has not, or has in another size; each as a reason. */
    Future<List<String>> missing(Location at, Found found);

    /** The signatures that are beside the artifact. */
    Future<List<Signed>> signatures(Location at, Digest digest);

    /** The DSSE envelopes that are beside the artifact. */
    Future<List<Buffer>> attestations(Location at, Digest digest);

    /** Bytes whose digest was taken, and what they refer to. */
    record Found(Digest digest, @Nullable String mediaType, long sizeBytes, List<Part> parts) {}

    record Part(Digest digest, long sizeBytes, boolean manifest) {}

    /**
     * A signature.
     *
     * @param payload what was signed; null: the artifact itself, by its digest
     */
    record Signed(@Nullable Buffer payload, byte[] signature) {}
}
