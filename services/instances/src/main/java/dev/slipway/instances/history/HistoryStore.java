package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.RowsStatement;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** What happened to instances. An event is told to the world and kept here, under the next number of its instance, in one transaction. */
public final class HistoryStore {
    private static final RowsStatement APPEND = new RowsStatement(
            """
            INSERT INTO instance_events (app_instance_id, sequence, project_id, event_id, event_type, occurred_at, correlation_id, payload,
                actor)
            SELECT instance, sequence, project, event, type, at, correlation, payload::jsonb, actor::jsonb
            FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::text[])
                AS happened (instance, sequence, project, event, type, at, correlation, payload, actor)
            """,
            UUID.class,
            Long.class,
            UUID.class,
            UUID.class,
            String.class,
            OffsetDateTime.class,
            String.class,
            String.class,
            String.class);

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
        unit.insertRow(
                APPEND,
                UUID.fromString(instance),
                payload.path("sequence").longValue(),
                UUID.fromString(payload.path("project_id").asText()),
                event,
                eventType,
                unit.now().atOffset(ZoneOffset.UTC),
                unit.cause().correlationId(),
                Json.text(kept),
                actor == null ? null : Json.text(actor));
    }
}
