package dev.slipway.catalog.app.version;

import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.app.version.domain.AppVersion.ManifestContent;
import dev.slipway.catalog.app.version.domain.VersionDecision.Accepted;
import dev.slipway.catalog.app.version.domain.VersionLifecycle;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

/** Publishes the versions of seeded apps. */
public final class VersionSeeder {
    private final VersionStore store;

    public VersionSeeder(VersionStore store) {
        this.store = store;
    }

    /** Inserts and publishes the version of a seeded app, unless the app has it. */
    public Future<Void> ensureSeed(UnitOfWork unit, CatalogSeed.App seed) {
        var digest = CanonicalJson.digest(Json.parseStoredObject(seed.manifest()));
        var content = new ManifestContent(seed.runtimeBackend(), seed.manifest(), digest);
        var draft = VersionLifecycle.register(
                seed.versionId(), seed.id(), seed.slug(), seed.version(), content, unit.now());
        return store.insert(unit, draft).map(inserted -> {
            if (inserted && VersionLifecycle.publish(draft, "{}", unit.now()) instanceof Accepted published) {
                store.update(unit, published.next(), published.event());
            }
            return null;
        });
    }
}
