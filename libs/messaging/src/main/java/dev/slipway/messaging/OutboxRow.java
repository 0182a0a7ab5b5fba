package dev.slipway.messaging;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.UUID;

/** One unpublished event. An empty value represents a tombstone. */
record OutboxRow(
        long seq,
        UUID eventId,
        String eventType,
        String topic,
        String key,
        Instant occurredAt,
        String correlationId,
        @Nullable String traceparent,
        byte[] value) {

    static final String COLUMNS =
            "seq, event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value";

    static OutboxRow fromRow(Row row) {
        return new OutboxRow(
                row.getLong("seq"),
                row.getUUID("event_id"),
                row.getString("event_type"),
                row.getString("topic"),
                row.getString("key"),
                row.getOffsetDateTime("occurred_at").toInstant(),
                row.getString("correlation_id"),
                row.getString("traceparent"),
                row.getBuffer("value").getBytes());
    }
}
