package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.AccessLogEntry;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class AccessLogDecoderTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final UUID CALL = Ids.next();
    private static final UUID CALLER = Ids.next();
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final List<String> COLUMNS = List.of(
            "call_id",
            "occurred_at_us",
            "correlation_id",
            "trace_id",
            "method",
            "operation_id",
            "path",
            "status",
            "code",
            "principal_id",
            "actor_type",
            "org_id",
            "project_id",
            "duration_us");
    private static final Instant AT = Instant.parse("2026-11-16T07:00:00.123456Z");

    @Test
    void decode_readsTheTableOfVersion1_byColumnName() {
        var payload = Json.object();
        COLUMNS.forEach(payload.putArray("columns")::add);
        payload.putArray("rows")
                .add(Json.array()
                        .add(CALL.toString())
                        .add(1_794_812_400_123_456L)
                        .add("c-1")
                        .add(TRACE)
                        .add("GET")
                        .add("getApp")
                        .add("/api/v1/apps/x")
                        .add(200)
                        .addNull()
                        .add(CALLER.toString())
                        .add("user")
                        .add(ORG.toString())
                        .add(PROJECT.toString())
                        .add(12))
                .add(Json.array()
                        .add(Ids.next().toString())
                        .add(0)
                        .add("c-2")
                        .addNull()
                        .add("PUT")
                        .addNull()
                        .add("/x")
                        .add(404)
                        .add("not_found")
                        .addNull()
                        .addNull()
                        .addNull()
                        .addNull()
                        .add(3));

        var calls = AccessLogDecoder.decode(event("gateway.calls", 1, payload)).toList();

        assertThat(calls.get(0)).isEqualTo(getApp(CALL));
        assertThat(calls.get(1).operationId()).isNull();
        assertThat(calls.get(1).principalId()).isNull();
        assertThat(calls.get(1).code()).isEqualTo("not_found");
    }

    @Test
    void decode_readsTheEntriesOfVersion2() {
        var payload = Json.object();
        var calls = payload.putArray("calls");
        calls.addObject()
                .put("duration_us", 12)
                .put("call_id", CALL.toString())
                .put("occurred_at_us", 1_794_812_400_123_456L)
                .put("correlation_id", "c-1")
                .put("trace_id", TRACE)
                .put("method", "GET")
                .put("operation_id", "getApp")
                .put("path", "/api/v1/apps/x")
                .put("status", 200)
                .put("principal_id", CALLER.toString())
                .put("actor_type", "user")
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("added_later", true);

        assertThat(AccessLogDecoder.decode(event("gateway.calls", 2, payload))).containsExactly(getApp(CALL));
    }

    @Test
    void entry_keepsItsWireName_ofCallersWithoutRole() {
        var entry = Json.toObject(getApp(CALL)).put("outsider", true);
        var read = Json.toRecord(entry, AccessLogEntry.class);

        assertThat(read.callerWithoutRole()).isTrue();
        assertThat(Json.toObject(read)).isEqualTo(entry);
    }

    @Test
    void decode_readsASingleCall() {
        var payload = Json.object()
                .put("method", "GET")
                .put("operation_id", "getApp")
                .put("path", "/api/v1/apps/x")
                .put("status", 200)
                .putNull("code")
                .put("principal_id", CALLER.toString())
                .put("actor_type", "user")
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("duration_us", 12);

        assertThat(AccessLogDecoder.decode(event("gateway.call", 1, payload))).containsExactly(getApp(CALL));
    }

    private static AccessLogEntry getApp(UUID id) {
        return new AccessLogEntry(
                id,
                1_794_812_400_123_456L,
                "c-1",
                TRACE,
                "GET",
                "getApp",
                "/api/v1/apps/x",
                200,
                null,
                CALLER,
                "user",
                ORG,
                PROJECT,
                12,
                null,
                null);
    }

    private static ReceivedEvent event(String type, int version, ObjectNode payload) {
        var envelope = new Envelope(CALL, type, AT, version, "c-1", payload);
        var headers = Map.of("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01");
        return new ReceivedEvent(new ReceivedRecord("calls", 0, 0, AT, "k", envelope.toBytes(), headers), envelope);
    }
}
