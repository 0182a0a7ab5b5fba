package dev.slipway.catalog;

import dev.slipway.catalog.artifact.ArtifactTypeLookup.TypeEntry;
import dev.slipway.catalog.registry.RegistryApi;
import dev.slipway.catalog.registry.RegistryBodyValidator;
import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryReplicator;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.catalog.registry.ScopeConsumer;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Wires the registries. */
final class RegistryWiring {
    /** IAM publishes hundreds of scopes at once and a heartbeat every two seconds; events are applied in batches. */
    private static final Duration BATCH_WINDOW = Duration.ofMillis(100);

    private final RegistryStore store;
    private final RegistryReplicator replicator;
    private final RegistryApi api;

    RegistryWiring(ServiceContext serviceContext, Service service) {
        store = new RegistryStore(service.reads());
        replicator = new RegistryReplicator(store);
        api = new RegistryApi(store, new RegistryBodyValidator(serviceContext.contract()), service.mutations());
    }

    Service serve(Service service) {
        return service.serve("listRegistryEntries", api::list)
                .serve("getRegistryEntry", api::get)
                .serve("listRegistryEntryVersions", api::listVersions)
                .serve("putRegistryEntry", api::put)
                .serve("moveRegistryEntry", api::transition)
                .consumeBatches(
                        "scopes", List.of(Topics.AUTHZ_STATE), BATCH_WINDOW, new ScopeConsumer(replicator)::apply);
    }

    /** Finds the versions of active entries, by id. */
    Future<Map<String, Integer>> findActiveVersions(QueryExecutor executor, RegistryKind kind, Collection<String> ids) {
        return store.findActive(executor, kind, ids).map(RegistryWiring::versions);
    }

    /** Finds the versions of existing entries in any lifecycle state, by id. */
    Future<Map<String, Integer>> findVersions(QueryExecutor executor, RegistryKind kind, Collection<String> ids) {
        return store.findAny(executor, kind, ids).map(RegistryWiring::versions);
    }

    Future<@Nullable TypeEntry> findArtifactType(QueryExecutor executor, String id) {
        return store.findActive(executor, RegistryKind.ARTIFACT_TYPE, List.of(id))
                .map(found -> {
                    var entry = found.get(id);
                    return entry == null ? null : new TypeEntry(entry.id(), entry.version(), Json.text(entry.body()));
                });
    }

    private static Map<String, Integer> versions(Map<String, RegistryEntry> entries) {
        var versions = new HashMap<String, Integer>();
        entries.forEach((id, entry) -> versions.put(id, entry.version()));
        return versions;
    }

    Future<Void> ensureSeeds(UnitOfWork unit) {
        var chain = Future.<Void>succeededFuture();
        for (var seed : RegistrySeeds.load().entries()) {
            var entry = new RegistryEntry(seed.kind(), seed.id(), seed.version(), seed.lifecycle(), seed.body());
            chain = chain.compose(ok -> replicator.applySeed(unit, entry));
        }
        return chain;
    }
}
