package dev.slipway.metering.runtimeusage;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimeusage.RuntimeUsageStore.RuntimeUsage;
import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/** Stores shared runtimes and the usage that adapters report of them. */
public final class RuntimeUsageConsumer {
    private final RuntimeUsageStore store;

    public RuntimeUsageConsumer(RuntimeUsageStore store) {
        this.store = store;
    }

    private record RuntimeRequested(UUID sharedRuntimeId, UUID orgId, String appSlug) {}

    /** Applies lifecycle events; one that was applied before changes nothing. */
    public Future<Void> applyEvents(UnitOfWork unit, List<ReceivedEvent> events) {
        events.stream()
                .map(ReceivedEvent::envelope)
                .filter(event -> event.eventType().equals("apps.shared_runtime.requested"))
                .map(event -> Json.toRecord(event.payload(), RuntimeRequested.class))
                .forEach(runtime -> store.insertRuntime(unit, runtime.sharedRuntimeId, runtime.orgId, runtime.appSlug));
        return Future.succeededFuture();
    }

    /** Applies a usage report; reports on instances are not applied here. */
    public void applyUsage(UnitOfWork unit, Envelope event) {
        if (event.eventType().equals("apps.shared_runtime_usage.reported")) {
            store.insert(unit, Json.toRecord(event.payload(), RuntimeUsage.class), event.correlationId());
        }
    }
}
