package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.usage.domain.Attribution;
import dev.slipway.metering.usage.domain.InstanceEvent;
import io.vertx.core.Future;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Counts the running time that the events of instances tell of. */
public final class UsageEvents {
    private final UsageStore store;

    public UsageEvents(UsageStore store) {
        this.store = store;
    }

    /** An event that came before is passed over by its sequence number. */
    public Future<Void> apply(UnitOfWork unit, List<Event> events) {
        var known = new LinkedHashMap<UUID, Attribution>();
        var changes = new ArrayList<Supplier<Future<Void>>>();
        for (var event : events) {
            var envelope = event.envelope();
            var kind = InstanceEvent.Kind.of(envelope.eventType());
            if (kind != null) {
                var to = attribution(envelope);
                known.putIfAbsent(to.appInstanceId(), to);
                if (kind.changesRunningTime()) {
                    var sequence = envelope.payload().path("sequence").longValue();
                    var change = new InstanceEvent(kind, sequence, envelope.occurredAt());
                    changes.add(() -> store.count(unit, to, change));
                }
            }
        }
        store.know(unit, List.copyOf(known.values()));
        var chain = Future.<Void>succeededFuture();
        for (var change : changes) {
            chain = chain.compose(ok -> change.get());
        }
        return chain;
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
