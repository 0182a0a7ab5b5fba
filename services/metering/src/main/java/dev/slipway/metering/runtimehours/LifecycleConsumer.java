package dev.slipway.metering.runtimehours;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.domain.InstanceAttribution;
import dev.slipway.metering.runtimehours.domain.MeteredInstanceEvent;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** Updates the running time of instances from their lifecycle events. */
public final class LifecycleConsumer {
    private final RunningTimeStore store;

    public LifecycleConsumer(RunningTimeStore store) {
        this.store = store;
    }

    /** The fields of lifecycle events that metering reads. */
    private record InstancePayload(
            UUID orgId,
            UUID projectId,
            UUID appInstanceId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend,
            @Nullable UUID sharedRuntimeId,
            long sequence) {

        InstanceAttribution attribution(String correlationId) {
            return new InstanceAttribution(
                    orgId,
                    projectId,
                    appInstanceId,
                    appSlug,
                    operatingMode,
                    controlPlaneScope,
                    runtimeBackend,
                    correlationId,
                    sharedRuntimeId);
        }
    }

    /** Applies the events. The store ignores duplicates by their sequence. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var attributions = new LinkedHashMap<UUID, InstanceAttribution>();
        var changes = new ArrayList<Supplier<Future<Void>>>();
        for (var event : events) {
            var kind = MeteredInstanceEvent.Kind.of(event.envelope().eventType());
            if (kind != null) {
                addChange(unit, kind, event.envelope(), attributions, changes);
            }
        }
        store.insertInstances(unit, List.copyOf(attributions.values()));
        var chain = Future.<Void>succeededFuture();
        for (var change : changes) {
            chain = chain.compose(ok -> change.get());
        }
        return chain;
    }

    private void addChange(
            UnitOfWork unit,
            MeteredInstanceEvent.Kind kind,
            Envelope envelope,
            Map<UUID, InstanceAttribution> attributions,
            List<Supplier<Future<Void>>> changes) {
        var payload = Json.toRecord(envelope.payload(), InstancePayload.class);
        var attribution = payload.attribution(envelope.correlationId());
        attributions.putIfAbsent(attribution.appInstanceId(), attribution);
        if (kind.changesRunningTime()) {
            var event = new MeteredInstanceEvent(kind, payload.sequence, envelope.occurredAt());
            changes.add(() -> store.applyEvent(unit, attribution, event));
        }
    }
}
