package dev.slipway.metering.runtimehours;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.runtimehours.RuntimeHoursStore.MeteredAttachment;
import dev.slipway.metering.runtimehours.RuntimeHoursStore.MeteredRuntime;
import dev.slipway.metering.runtimehours.domain.MeteredInstanceEvent;
import io.vertx.core.Future;

import java.util.List;
import java.util.UUID;

/** Maintains the read model of shared runtimes and their attachments, and the running time of their controllers. */
public final class SharedRuntimeConsumer {
    private static final String ATTACHMENT_PREFIX = "apps.shared_runtime.attachment.";

    private final RuntimeHoursStore store;

    public SharedRuntimeConsumer(RuntimeHoursStore store) {
        this.store = store;
    }

    private record RuntimePayload(
            UUID sharedRuntimeId,
            UUID orgId,
            String appSlug,
            String operatingMode,
            String controlPlaneScope,
            String runtimeBackend,
            long sequence) {

        MeteredRuntime runtime() {
            return new MeteredRuntime(
                    sharedRuntimeId, orgId, appSlug, operatingMode, controlPlaneScope, runtimeBackend);
        }
    }

    private record AttachmentPayload(UUID attachmentId, UUID sharedRuntimeId, UUID projectId, long sequence) {
        MeteredAttachment attachment(Envelope event) {
            return new MeteredAttachment(
                    attachmentId,
                    sharedRuntimeId,
                    projectId,
                    sequence,
                    event.eventType().equals(ATTACHMENT_PREFIX + "requested") ? event.occurredAt() : null,
                    event.eventType().equals(ATTACHMENT_PREFIX + "detached") ? event.occurredAt() : null);
        }
    }

    /** Applies the events. An event that was applied before changes nothing. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            chain = chain.compose(ok -> apply(unit, event.envelope()));
        }
        return chain;
    }

    private Future<Void> apply(UnitOfWork unit, Envelope event) {
        if (event.eventType().startsWith(ATTACHMENT_PREFIX)) {
            store.upsertAttachment(
                    unit,
                    Json.toRecord(event.payload(), AttachmentPayload.class).attachment(event));
            return Future.succeededFuture();
        }
        var kind = MeteredInstanceEvent.Kind.ofRuntime(event.eventType());
        if (kind == null) {
            return Future.succeededFuture();
        }
        var payload = Json.toRecord(event.payload(), RuntimePayload.class);
        store.upsertRuntime(unit, payload.runtime(), event.correlationId());
        return kind.changesRunningTime()
                ? store.applyEvent(
                        unit, payload.runtime(), new MeteredInstanceEvent(kind, payload.sequence, event.occurredAt()))
                : Future.succeededFuture();
    }
}
