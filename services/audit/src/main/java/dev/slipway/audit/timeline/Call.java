package dev.slipway.audit.timeline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.messaging.InboxConsumer.Event;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A request at a gateway, as it is kept. */
record Call(
        UUID id,
        Instant at,
        String correlationId,
        @Nullable String traceId,
        String method,
        @Nullable String operationId,
        String path,
        int status,
        @Nullable String code,
        @Nullable UUID principalId,
        @Nullable String actorType,
        @Nullable UUID orgId,
        @Nullable UUID projectId,
        long durationUs) {

    static boolean isIn(Event event) {
        return event.envelope().eventType().startsWith("gateway.call");
    }

    /** The calls of a record: one, or a table of them. */
    static Stream<Call> of(Event event) {
        var envelope = event.envelope();
        var payload = envelope.payload();
        if (envelope.eventType().equals("gateway.calls")) {
            return StreamSupport.stream(payload.path("rows").spliterator(), false)
                    .map(Call::ofRow);
        }
        return Stream.of(new Call(
                envelope.eventId(),
                envelope.occurredAt(),
                envelope.correlationId(),
                Fact.traceId(event.record().headers().get("traceparent")),
                payload.path("method").asText(),
                payload.path("operation_id").textValue(),
                payload.path("path").asText(),
                payload.path("status").asInt(),
                payload.path("code").textValue(),
                Fact.id(payload.path("principal_id")),
                payload.path("actor_type").textValue(),
                Fact.id(payload.path("org_id")),
                Fact.id(payload.path("project_id")),
                payload.path("duration_us").asLong()));
    }

    /** In the order of the columns that the event's schema fixes. */
    private static Call ofRow(JsonNode row) {
        return new Call(
                UUID.fromString(row.path(0).asText()),
                Instant.EPOCH.plus(row.path(1).asLong(), ChronoUnit.MICROS),
                row.path(2).asText(),
                row.path(3).textValue(),
                row.path(4).asText(),
                row.path(5).textValue(),
                row.path(6).asText(),
                row.path(7).asInt(),
                row.path(8).textValue(),
                Fact.id(row.path(9)),
                row.path(10).textValue(),
                Fact.id(row.path(11)),
                Fact.id(row.path(12)),
                row.path(13).asLong());
    }
}
