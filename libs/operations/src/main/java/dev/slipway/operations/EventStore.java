package dev.slipway.operations;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.BatchInsert;
import dev.slipway.messaging.Topics;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;

/** Publishes the events of one kind of subject and stores them as their history, in one transaction. */
public final class EventStore {
    private static final String INSERT = """
            INSERT INTO {events} ({id}, sequence, {owner}, event_id, event_type, occurred_at, correlation_id, payload,
                actor)
            SELECT subject, sequence, owner, event, type, at, correlation, payload::jsonb, actor::jsonb
            FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[], $7::text[], $8::text[], $9::text[])
                AS occurred (subject, sequence, owner, event, type, at, correlation, payload, actor)
            """;

    private final BatchInsert insert;

    public EventStore(SubjectKind kind) {
        insert = new BatchInsert(
                new SubjectTables(kind).sql(INSERT),
                UUID.class,
                Long.class,
                UUID.class,
                UUID.class,
                String.class,
                OffsetDateTime.class,
                String.class,
                String.class,
                String.class);
    }

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
                insert,
                subject.id(),
                sequence,
                subject.ownerId(),
                eventId,
                eventType,
                unit.now().atOffset(ZoneOffset.UTC),
                unit.context().correlationId(),
                Json.text(stored),
                actor == null ? null : Json.text(actor));
    }
}
