package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A command or a report as the journal keeps it: the event, and the headers of the trace that it belongs to. Never a token. */
record Message(Envelope event, Map<String, String> trace) {
    static final String DEPLOY = "runtime.command.deploy";
    static final String DELETE = "runtime.command.delete";
    static final String DEPLOYING = "runtime.report.deploying";
    private static final Set<String> TRACE_HEADERS = Set.of("traceparent", "tracestate", "baggage");
    private static final int TEXT_MAX = 1024;

    Message {
        trace = Map.copyOf(trace);
    }

    static Message command(Envelope event, Map<String, String> headers) {
        var trace = new HashMap<>(headers);
        trace.keySet().retainAll(TRACE_HEADERS);
        return new Message(event, trace);
    }

    static Message deploying(Task task, @Nullable String message, Map<String, String> trace) {
        var payload = payload(task);
        if (message != null) {
            payload.put("message", shorten(message));
        }
        return report(DEPLOYING, task, payload, trace);
    }

    static Message outcome(Task task, Outcome outcome, Map<String, String> trace) {
        var payload = payload(task);
        if (outcome instanceof Running running) {
            var endpoints = payload.putArray("endpoints");
            running.endpoints()
                    .forEach(e -> endpoints.addObject().put("name", e.name()).put("url", e.url()));
            return report("runtime.report.running", task, payload, trace);
        }
        if (outcome instanceof Failed failed) {
            payload.put("reason", failed.reason().isBlank() ? "no reason given" : shorten(failed.reason()));
            return report("runtime.report.failed", task, payload, trace);
        }
        if (outcome instanceof Deleted) {
            return report("runtime.report.deleted", task, payload, trace);
        }
        throw new IllegalStateException("not an outcome: " + outcome);
    }

    private static Message report(String type, Task task, ObjectNode payload, Map<String, String> trace) {
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        return new Message(new Envelope(Ids.next(), type, now, 1, task.correlationId(), payload), trace);
    }

    private static ObjectNode payload(Task task) {
        return Json.object()
                .put("org_id", task.orgId().toString())
                .put("project_id", task.projectId().toString())
                .put("app_instance_id", task.appInstanceId().toString())
                .put("command_id", task.commandId().toString())
                .put("generation", task.generation());
    }

    private static String shorten(String text) {
        return text.length() <= TEXT_MAX ? text : text.substring(0, TEXT_MAX - 1) + "…";
    }

    UUID id() {
        return event.eventId();
    }

    boolean is(String type) {
        return event.eventType().equals(type);
    }

    /** Of a command. */
    Task task() {
        return Task.of(event);
    }

    /** Of a report. */
    String commandId() {
        return event.payload().path("command_id").asText();
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
        node.set("event", Json.trusted(new String(event.toBytes(), java.nio.charset.StandardCharsets.UTF_8)));
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
