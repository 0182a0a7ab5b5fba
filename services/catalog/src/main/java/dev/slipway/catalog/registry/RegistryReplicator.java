package dev.slipway.catalog.registry;

import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/** Applies entries that are defined elsewhere: the seeds of this release, and scopes, which belong to IAM. */
public final class RegistryReplicator {
    private final RegistryStore store;

    public RegistryReplicator(RegistryStore store) {
        this.store = store;
    }

    /**
     * Inserts a seed, or adds it as a new version if its version is higher than that of the last applied seed. Until then, changes by
     * administrators stay in effect.
     */
    public Future<Void> applySeed(UnitOfWork unit, RegistryEntry seed) {
        return store.lock(unit, seed.kind(), seed.id()).compose(current -> {
            if (current == null) {
                var first = new RegistryEntry(seed.kind(), seed.id(), 1, seed.lifecycle(), seed.body());
                return store.insert(unit, first, seed.version(), RegistryAuthor.SEED)
                        .mapEmpty();
            }
            if (current.seedVersion() < seed.version()) {
                store.update(unit, nextVersion(current.entry(), seed), seed.version(), RegistryAuthor.SEED);
            }
            return Future.succeededFuture();
        });
    }

    /** Inserts or updates a replica of an entry. Revisions that are not newer, or change nothing, are ignored. */
    Future<Void> applyReplica(UnitOfWork unit, RegistryEntry owned, long revision) {
        return store.lock(unit, owned.kind(), owned.id()).compose(current -> {
            if (current == null) {
                return store.insert(unit, owned, revision, RegistryAuthor.IAM).mapEmpty();
            }
            var entry = current.entry();
            var changed =
                    entry.lifecycle() != owned.lifecycle() || !entry.body().equals(owned.body());
            if (current.seedVersion() < revision && changed) {
                store.update(unit, nextVersion(entry, owned), revision, RegistryAuthor.IAM);
            }
            return Future.succeededFuture();
        });
    }

    private static RegistryEntry nextVersion(RegistryEntry current, RegistryEntry source) {
        return new RegistryEntry(
                current.kind(), current.id(), current.version() + 1, source.lifecycle(), source.body());
    }
}
