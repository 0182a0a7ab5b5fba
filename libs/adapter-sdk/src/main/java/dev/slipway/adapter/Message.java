package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A command or a report as the journal keeps it: the event, and the headers of the trace that it belongs to. Never a token. */
record Message(Envelope event, Map<String, String> trace) {
    private static final Set<String> TRACE_HEADERS = Set.of("traceparent", "tracestate", "baggage");
    /** Marks, in the journal alone, a delete that the platform did not ask for. */
    private static final String ORPHAN = "orphan";

    Message {
        trace = Map.copyOf(trace);
    }

    /** Throws {@link IllegalArgumentException} when the event is not a command as the contract has it. */
    static Message command(Envelope event, Map<String, String> headers) {
        var kind = Kind.of(event.eventType());
        if (event.version() != 1 || kind == null) {
            throw new IllegalArgumentException(
                    event.eventType() + " version " + event.version() + " is unknown to this adapter");
        }
        if (Task.of(event).operationId() == null && (kind.endsAsOperation() || kind == Kind.CANCEL)) {
            throw new IllegalArgumentException("operation_id is missing");
        }
        var trace = new HashMap<>(headers);
        trace.keySet().retainAll(TRACE_HEADERS);
        return new Message(event, trace);
    }

    /** The end of an instance that the platform does not know any more. Nobody hears of it. Of one that we do not know either, the id is all. */
    static Message ofOrphan(InstanceLog log) {
        var deployed = log.deployed();
        var payload = deployed == null ? unknown() : deployed.event().payload().deepCopy();
        payload.remove(List.of("operation_id", "deadline_at", "attempt", "members", "from_version"));
        payload.put("app_instance_id", log.appInstanceId().toString());
        payload.put("generation", Math.max(1, log.generation()));
        payload.put(ORPHAN, true);
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        var id = Ids.next();
        return new Message(new Envelope(id, Kind.DELETE.type(), now, 1, "orphan-" + id, payload), Map.of());
    }

    private static ObjectNode unknown() {
        var nobody = new UUID(0, 0).toString();
        return Json.object()
                .put("org_id", nobody)
                .put("project_id", nobody)
                .put("app_slug", "unknown")
                .put("app_version", "unknown")
                .put("resource_name", "unknown")
                .put("operator_service_account_id", nobody);
    }

    UUID id() {
        return event.eventId();
    }

    boolean is(String type) {
        return event.eventType().equals(type);
    }

    boolean is(Kind kind) {
        return is(kind.type());
    }

    /** Of a command. */
    Kind kind() {
        var kind = Kind.of(event.eventType());
        if (kind == null) {
            throw new IllegalStateException("not a command: " + event.eventType());
        }
        return kind;
    }

    /** Of a command. */
    Task task() {
        return Task.of(event);
    }

    /** Of a command. */
    int generation() {
        return event.payload().path("generation").asInt();
    }

    /** Of a command. */
    boolean isOrphan() {
        return event.payload().path(ORPHAN).asBoolean();
    }

    /** Of a report. */
    String commandId() {
        return event.payload().path("command_id").asText();
    }

    boolean isAbout(UUID command) {
        return commandId().equals(command.toString());
    }

    String appInstanceId() {
        return event.payload().path("app_instance_id").asText();
    }

    /** A command without the documents that only its execution needs. */
    Message brief() {
        var payload = event.payload().deepCopy();
        payload.remove("manifest");
        payload.remove("config");
        return new Message(
                new Envelope(
                        event.eventId(),
                        event.eventType(),
                        event.occurredAt(),
                        event.version(),
                        event.correlationId(),
                        payload),
                trace);
    }

    ObjectNode toJson() {
        var node = Json.object();
        node.set("event", Json.trusted(new String(event.toBytes(), StandardCharsets.UTF_8)));
        var headers = node.putObject("trace");
        trace.forEach(headers::put);
        return node;
    }

    static Message fromJson(JsonNode node) {
        var trace = new HashMap<String, String>();
        node.path("trace")
                .properties()
                .forEach(e -> trace.put(e.getKey(), e.getValue().asText()));
        return new Message(Envelope.fromBytes(Json.bytes(node.path("event"))), trace);
    }
}
