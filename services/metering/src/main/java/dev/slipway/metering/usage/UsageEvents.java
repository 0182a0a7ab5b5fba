package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.Attribution;
import dev.slipway.metering.usage.domain.InstanceEvent;
import io.vertx.core.Future;

import java.util.UUID;

/** Counts the running time that the events of instances tell of. */
public final class UsageEvents {
    private final UsageStore store;

    public UsageEvents(UsageStore store) {
        this.store = store;
    }

    public Future<Void> apply(UnitOfWork unit, Incoming record, Envelope event) {
        var kind = InstanceEvent.Kind.of(event.eventType());
        if (kind == null) {
            return Future.succeededFuture();
        }
        var sequence = event.payload().path("sequence").longValue();
        return store.count(unit, attribution(event), new InstanceEvent(kind, sequence, event.occurredAt()));
    }

    private static Attribution attribution(Envelope event) {
        var payload = event.payload();
        return new Attribution(
                id(payload, "org_id"),
                id(payload, "project_id"),
                id(payload, "app_instance_id"),
                payload.path("app_slug").asText(),
                payload.path("operating_mode").asText(),
                payload.path("control_plane_scope").asText(),
                payload.path("runtime_backend").asText(),
                event.correlationId());
    }

    private static UUID id(JsonNode payload, String field) {
        return UUID.fromString(payload.path(field).asText());
    }
}
