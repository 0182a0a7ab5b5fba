package dev.slipway.catalog.registry;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;

/** Keeps IAM's scopes among the registries, from what it announces. The catalog gives each its own versions. */
public final class ScopeEvents {
    private final RegistryStore store;

    public ScopeEvents(RegistryStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, List<Event> events) {
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            if (event.envelope().eventType().equals("authz.action")) {
                chain = chain.compose(ok -> keep(unit, event.envelope()));
            }
        }
        return chain;
    }

    /** By IAM's revision: what is not newer than what is kept was seen before. */
    private Future<Void> keep(UnitOfWork unit, Envelope event) {
        var said = event.payload();
        var body = Json.object()
                .put("product_id", said.path("product").asText("-"))
                .put("risk_class", said.path("risk_class").asText("high"))
                .put("description", said.path("description").asText(""));
        if (said.has("version")) {
            body.set("scope_version", said.path("version"));
        }
        return store.follow(
                unit,
                new RegistryEntry(
                        RegistryEntry.SCOPE,
                        said.path("action").asText(),
                        1,
                        said.path("lifecycle").asText(),
                        body),
                said.path("revision").asLong());
    }
}
