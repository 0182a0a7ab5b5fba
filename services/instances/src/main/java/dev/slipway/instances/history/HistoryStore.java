package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;

import java.time.ZoneOffset;
import java.util.UUID;

/** What happened to instances. An event is told to the world and kept here, under the next number of its instance, in one transaction. */
public final class HistoryStore {
    private static final String APPEND = """
            INSERT INTO instance_events (app_instance_id, sequence, project_id, event_id, event_type, occurred_at, correlation_id, payload,
                actor)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9::text::jsonb)
            """;

    /** The caller holds the instance's lock and has raised its sequence; {@code payload} has the context of every instance's event. */
    public void append(UnitOfWork unit, String eventType, ObjectNode payload) {
        append(unit, eventType, payload, Json.object());
    }

    /** With more that is needed to tell the instance's state from its events, and is nobody's business but the tenant's. */
    public void append(UnitOfWork unit, String eventType, ObjectNode payload, ObjectNode own) {
        var instance = payload.path("app_instance_id").asText();
        var event = unit.announce(Topics.INSTANCES_EVENTS, instance, eventType, payload);
        var actor = unit.cause().actor();
        var kept = own.isEmpty() ? payload : payload.deepCopy().setAll(own);
        unit.write(APPEND, Tuple.from(new Object[] {
            UUID.fromString(instance),
            payload.path("sequence").longValue(),
            UUID.fromString(payload.path("project_id").asText()),
            event,
            eventType,
            unit.now().atOffset(ZoneOffset.UTC),
            unit.cause().correlationId(),
            Json.text(kept),
            actor == null ? null : Json.text(actor)
        }));
    }
}
