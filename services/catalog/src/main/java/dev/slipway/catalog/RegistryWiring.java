package dev.slipway.catalog;

import dev.slipway.catalog.registry.RegistryApi;
import dev.slipway.catalog.registry.RegistryBodies;
import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.catalog.registry.ScopeEvents;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;

import java.time.Duration;
import java.util.List;

/** The registries of the catalog: wiring only. */
final class RegistryWiring {
    /** IAM tells of hundreds of scopes at once, and of its heart every two seconds: one transaction does for what is there. */
    private static final Duration GATHER = Duration.ofMillis(100);

    private final RegistryStore store;
    private final RegistryApi api;

    RegistryWiring(Frame frame, Service service) {
        store = new RegistryStore(service.reads());
        api = new RegistryApi(store, new RegistryBodies(frame.contract()), service.mutations());
    }

    Service serve(Service service) {
        return service.serve("listRegistryEntries", api::list)
                .serve("getRegistryEntry", api::get)
                .serve("listRegistryEntryVersions", api::versions)
                .serve("putRegistryEntry", api::put)
                .serve("moveRegistryEntry", api::move)
                .consumeBatches("scopes", List.of(Topics.AUTHZ_STATE), GATHER, new ScopeEvents(store)::apply);
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
