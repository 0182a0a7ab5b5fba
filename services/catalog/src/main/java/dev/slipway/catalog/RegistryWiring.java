package dev.slipway.catalog;

import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Service;
import io.vertx.core.Future;

/** The registries of the catalog: wiring only. */
final class RegistryWiring {
    private final RegistryStore store;

    RegistryWiring(Service service) {
        store = new RegistryStore(service.reads());
    }

    /** What the other parts look their ids up in. */
    RegistryStore store() {
        return store;
    }

    Future<Void> ensureSeeds(UnitOfWork unit) {
        var chain = Future.<Boolean>succeededFuture();
        for (var seed : RegistrySeeds.load().entries()) {
            var entry = new RegistryEntry(seed.kind(), seed.id(), seed.version(), seed.lifecycle(), seed.body());
            chain = chain.compose(ok -> store.seed(unit, entry));
        }
        return chain.mapEmpty();
    }
}
