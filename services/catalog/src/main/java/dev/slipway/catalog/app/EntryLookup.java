package dev.slipway.catalog.app;

import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.QueryExecutor;
import io.vertx.core.Future;

import java.util.Collection;
import java.util.Map;

/** Finds registry entries: returns the current version of each entry that was found, by id. */
@FunctionalInterface
public interface EntryLookup {
    Future<Map<String, Integer>> find(QueryExecutor executor, RegistryKind kind, Collection<String> ids);
}
