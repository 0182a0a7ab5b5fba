package dev.slipway.operations;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BatchInsert;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.SubjectRef;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** Publishes the events of subjects and stores them as their history, in one transaction. */
public final class EventStore {
    private static final BatchInsert INSERT = new BatchInsert(
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

    /**
     * Appends an event under the subject's next sequence number; the caller holds the subject's lock.
     *
     * @param privateFields stored with the payload and not published: what only the tenant may see
     */
    public void append(
            UnitOfWork unit,
            SubjectRef subject,
            long sequence,
            String eventType,
            ObjectNode payload,
            ObjectNode privateFields) {
        var eventId = unit.publish(Topics.INSTANCES_EVENTS, subject.id().toString(), eventType, payload);
        var actor = unit.context().actor();
        var stored = privateFields.isEmpty() ? payload : payload.deepCopy().setAll(privateFields);
        unit.insertRow(
                INSERT,
                subject.id(),
                sequence,
                subject.projectId(),
                eventId,
                eventType,
                unit.now().atOffset(ZoneOffset.UTC),
                unit.context().correlationId(),
                Json.text(stored),
                actor == null ? null : Json.text(actor));
    }
}
