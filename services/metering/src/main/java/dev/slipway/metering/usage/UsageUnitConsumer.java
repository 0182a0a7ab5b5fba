package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.RegistrySnapshot;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.AttributionStore.RegisteredUnit;
import dev.slipway.metering.usage.domain.UsageUnit;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/** Maintains the read model of the usage-unit registry. */
public final class UsageUnitConsumer {

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
                    .filter(entry -> entry.kind() == RegistryKind.USAGE_UNIT)
                    .forEach(entry ->
                            store.insertUnit(unit, unit(entry.id(), entry.version(), entry.lifecycle(), entry.body())));
            return Future.succeededFuture();
        });
    }

    /** Applies records of the catalog's state topic; only usage units count. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            var entry = RegistrySnapshot.ofKind(event.envelope(), RegistryKind.USAGE_UNIT);
            if (entry != null) {
                store.upsertUnit(unit, unit(entry.entryId(), entry.entryVersion(), entry.lifecycle(), entry.body()));
            }
        }
        return Future.succeededFuture();
    }

    /** The fields of a registry entry. */
    private record UnitBody(
            int precision,
            @Nullable String ratingCategory,
            @Nullable String productId,
            @Nullable String displayName) {}

    private static RegisteredUnit unit(String id, int version, RegistryLifecycle lifecycle, ObjectNode fields) {
        var body = Json.toRecord(fields, UnitBody.class);
        return new RegisteredUnit(
                new UsageUnit(id, version, body.precision, lifecycle),
                Objects.requireNonNullElse(body.ratingCategory, ""),
                Objects.requireNonNullElse(body.productId, ""),
                Objects.requireNonNullElse(body.displayName, id));
    }
}
