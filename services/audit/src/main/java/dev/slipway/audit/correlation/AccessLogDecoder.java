package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.AccessLogEntry;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.telemetry.Traces;

import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads access-log entries from all versions of their events. */
final class AccessLogDecoder {
    private AccessLogDecoder() {}

    static boolean isAccessLog(ReceivedEvent event) {
        return event.envelope().eventType().startsWith("gateway.call");
    }

    /** Returns the entries of an event: one of {@code gateway.call}, many of {@code gateway.calls}. */
    static Stream<AccessLogEntry> decode(ReceivedEvent event) {
        var envelope = event.envelope();
        if (envelope.eventType().equals("gateway.call")) {
            return Stream.of(Json.toRecord(entryOfSingleCall(event), AccessLogEntry.class));
        }
        var payload = envelope.payload();
        var entries = envelope.version() == 1 ? entriesOfTable(payload) : payload.path("calls");
        return StreamSupport.stream(entries.spliterator(), false)
                .map(entry -> Json.toRecord(entry, AccessLogEntry.class));
    }

    /** A single call has its id, time, correlation and trace in the envelope and the headers. */
    private static ObjectNode entryOfSingleCall(ReceivedEvent event) {
        var envelope = event.envelope();
        return envelope.payload()
                .deepCopy()
                .put("call_id", envelope.eventId().toString())
                .put("occurred_at_us", AccessLogEntry.toMicros(envelope.occurredAt()))
                .put("correlation_id", envelope.correlationId())
                .put("trace_id", Traces.parseTraceId(event.record().headers().get("traceparent")));
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
