package dev.slipway.iam.adapter;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.List;

/** Maintains the read model of the runtime_backend registry from the events of the catalog. */
public final class RuntimeBackendConsumer {
    private RuntimeBackendConsumer() {}

    private record RegistryEntryChanged(String kind, String entryId, long entryVersion, String lifecycle) {}

    public static Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        for (var event : events) {
            if (event.envelope().eventType().equals("registries.entry.changed")) {
                var entry = Json.toRecord(event.envelope().payload(), RegistryEntryChanged.class);
                if (entry.kind.equals(RegistryKind.RUNTIME_BACKEND.text())) {
                    AdapterPrincipalStore.upsertBackend(unit, entry.entryId, entry.lifecycle, entry.entryVersion);
                }
            }
        }
        return Future.succeededFuture();
    }
}
