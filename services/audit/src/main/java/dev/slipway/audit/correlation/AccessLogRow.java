package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.telemetry.Traces;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A request at a gateway: a row of the table {@code calls}. */
record AccessLogRow(
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
        long durationUs,
        boolean outsider,
        int count) {

    /** The payload of {@code gateway.call}. */
    private record CallPayload(
            String method,
            @Nullable String operationId,
            String path,
            int status,
            @Nullable String code,
            @Nullable UUID principalId,
            @Nullable String actorType,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            long durationUs) {}

    /** An entry of {@code gateway.calls}. */
    private record CallEntry(
            UUID callId,
            long occurredAtUs,
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
            long durationUs,
            boolean outsider,
            @Nullable Integer count) {

        /** Gateways once sent paths with U+0000, which PostgreSQL cannot store; such records wait on the dead-letter topic. */
        AccessLogRow toRow() {
            return new AccessLogRow(
                    callId,
                    Instant.EPOCH.plus(occurredAtUs, ChronoUnit.MICROS),
                    correlationId,
                    traceId,
                    method,
                    operationId,
                    path.replace('\0', '\uFFFD'),
                    status,
                    code,
                    principalId,
                    actorType,
                    orgId,
                    projectId,
                    durationUs,
                    outsider,
                    count == null ? 1 : count);
        }
    }

    static boolean isAccessLog(ReceivedEvent event) {
        return event.envelope().eventType().startsWith("gateway.call");
    }

    /** Returns the rows of an event: one of {@code gateway.call}, many of {@code gateway.calls}. */
    static Stream<AccessLogRow> of(ReceivedEvent event) {
        var envelope = event.envelope();
        if (envelope.eventType().equals("gateway.calls")) {
            var payload = envelope.payload();
            var entries = envelope.version() == 1 ? entriesOfTable(payload) : payload.path("calls");
            return StreamSupport.stream(entries.spliterator(), false)
                    .map(entry -> Json.toRecord(entry, CallEntry.class).toRow());
        }
        var call = Json.toRecord(envelope.payload(), CallPayload.class);
        return Stream.of(new AccessLogRow(
                envelope.eventId(),
                envelope.occurredAt(),
                envelope.correlationId(),
                Traces.parseTraceId(event.record().headers().get("traceparent")),
                call.method,
                call.operationId,
                call.path,
                call.status,
                call.code,
                call.principalId,
                call.actorType,
                call.orgId,
                call.projectId,
                call.durationUs,
                false,
                1));
    }

    /** Version 1 is a table: the values of a row belong to the names in {@code columns}. */
    private static ArrayNode entriesOfTable(JsonNode payload) {
        var columns = payload.path("columns");
        var entries = Json.array();
        for (var row : payload.path("rows")) {
            var entry = entries.addObject();
            for (var i = 0; i < columns.size(); i++) {
                entry.set(columns.get(i).asText(), row.path(i));
            }
        }
        return entries;
    }
}
