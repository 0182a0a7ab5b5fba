package dev.slipway.catalog.artifact;

import dev.slipway.messaging.Queries;
import io.vertx.core.Future;

import java.util.Map;
import java.util.Set;

/** What the other parts of the catalog ask before they use an artifact. */
public final class ArtifactTrust {
    private final ArtifactStore store;

    public ArtifactTrust(ArtifactStore store) {
        this.store = store;
    }

    /** The trust state of each digest. Revoked wins over all else; a digest that is absent is unknown, and not to be used. */
    public Future<Map<String, String>> of(Queries from, Set<String> digests) {
        return digests.isEmpty() ? Future.succeededFuture(Map.of()) : store.trust(from, digests);
    }
}
