package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.AttributionStore.RegisteredUnit;
import dev.slipway.metering.usage.domain.UsageUnit;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;

import java.util.List;

/** Maintains the read model of the usage-unit registry. */
public final class UsageUnitConsumer {
    private static final String KIND = "usage_unit";

    private final AttributionStore store;
    private final Outbox outbox;

    public UsageUnitConsumer(AttributionStore store, Outbox outbox) {
        this.store = store;
        this.outbox = outbox;
    }

    /** Stores the built-in units. */
    public Future<Void> start() {
        return outbox.transaction(new ChangeContext(Ids.next().toString(), Context.root()), unit -> {
            RegistrySeeds.load().entries().stream()
                    .filter(entry -> entry.kind().equals(KIND))
                    .forEach(entry ->
                            store.insertUnit(unit, unit(entry.id(), entry.version(), entry.lifecycle(), entry.body())));
            return Future.succeededFuture();
        });
    }

    /** Applies records of the catalog's state topic; only usage units count. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var payload = event.envelope().payload();
            if (event.envelope().eventType().equals("catalog.registry.snapshot")
                    && payload.path("kind").asText().equals(KIND)) {
                store.upsertUnit(
                        unit,
                        unit(
                                payload.path("entry_id").asText(),
                                payload.path("entry_version").asInt(),
                                payload.path("lifecycle").asText(),
                                payload.path("body")));
            }
        }
        return Future.succeededFuture();
    }

    private static RegisteredUnit unit(String id, int version, String lifecycle, JsonNode body) {
        return new RegisteredUnit(
                new UsageUnit(id, version, body.path("precision").asInt(), lifecycle),
                body.path("rating_category").asText(),
                body.path("product_id").asText(),
                body.path("display_name").asText(id));
    }
}
