package dev.slipway.catalog.instanceprojection;

import dev.slipway.catalog.instanceprojection.InstanceProjectionStore.InstanceRow;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;

/** Applies instance events to the projection. The event with the highest sequence describes the current state of an instance. */
public final class InstanceConsumer {
    private static final String PREFIX = "apps.instance.";

    private final InstanceProjectionStore store;

    public InstanceConsumer(InstanceProjectionStore store) {
        this.store = store;
    }

    private record InstanceEvent(
            UUID appInstanceId,
            UUID orgId,
            UUID projectId,
            String appSlug,
            String appVersion,
            String status,
            @Nullable String operatingMode,
            @Nullable String controlPlaneScope,
            @Nullable PlacementIntent placementIntent,
            @Nullable String policyVersion,
            long sequence) {
        InstanceRow toRow() {
            return new InstanceRow(
                    appInstanceId,
                    orgId,
                    projectId,
                    appSlug,
                    appVersion,
                    status,
                    operatingMode,
                    controlPlaneScope,
                    placementIntent == null ? null : placementIntent.region,
                    placementIntent == null ? null : placementIntent.sku,
                    placementIntent == null ? null : placementIntent.gpuCount,
                    policyVersion,
                    sequence);
        }
    }

    private record PlacementIntent(
            @Nullable String region,
            @Nullable String sku,
            @Nullable Integer gpuCount) {}

    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var latest = new LinkedHashMap<UUID, InstanceEvent>();
        for (var event : events) {
            if (describesInstance(event.envelope())) {
                var instance = Json.toRecord(event.envelope().payload(), InstanceEvent.class);
                latest.merge(instance.appInstanceId, instance, (one, two) -> one.sequence > two.sequence ? one : two);
            }
        }
        store.upsert(unit, latest.values().stream().map(InstanceEvent::toRow).toList());
        return Future.succeededFuture();
    }

    /** Events of operations and members have no status of the instance. */
    private static boolean describesInstance(Envelope event) {
        return event.eventType().startsWith(PREFIX)
                && event.payload().path("status").isTextual()
                && event.payload().has("app_version");
    }
}
