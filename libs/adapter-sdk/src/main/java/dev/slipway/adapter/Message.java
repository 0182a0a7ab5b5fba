package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A command or a report as stored in the journal: the event and its trace headers, but never a token. */
record Message(Envelope event, Map<String, String> trace) {
    private static final Set<String> TRACE_HEADERS = Set.of("traceparent", "tracestate", "baggage");
    /** Marks a delete that the platform did not request. Used in the journal only. */
    private static final String ORPHAN = "orphan";

    Message {
        trace = Map.copyOf(trace);
    }

    /** Throws {@link IllegalArgumentException} if the event is not a valid command. */
    static Message parseCommand(Envelope event, Map<String, String> headers) {
        var commandType = CommandType.fromEventType(event.eventType());
        if (event.version() != 1 || commandType == null) {
            throw new IllegalArgumentException(
                    event.eventType() + " version " + event.version() + " is not supported by this adapter");
        }
        if (Task.parse(event).operationId() == null
                && (commandType.endsWithOperationReport() || commandType == CommandType.CANCEL)) {
            throw new IllegalArgumentException("operation_id is missing");
        }
        var trace = new HashMap<>(headers);
        trace.keySet().retainAll(TRACE_HEADERS);
        return new Message(event, trace);
    }

    /**
     * Creates the delete command for an orphan, which is not reported. If the journal does not know the instance either, only its id is
     * set.
     */
    static Message orphanDelete(InstanceLog log) {
        var deployed = log.deployed();
        var payload =
                deployed == null ? unknownTask() : deployed.event().payload().deepCopy();
        payload.remove(List.of("operation_id", "deadline_at", "attempt", "members", "attachments", "from_version"));
        if (!payload.has(TaskSubject.Kind.SHARED_RUNTIME.field())) {
            payload.put(
                    TaskSubject.Kind.APP_INSTANCE.field(), log.appInstanceId().toString());
        }
        payload.put("generation", Math.max(1, log.generation()));
        payload.put(ORPHAN, true);
        var now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        var id = Ids.next();
        return new Message(new Envelope(id, CommandType.DELETE.eventType(), now, 1, "orphan-" + id, payload), Map.of());
    }

    private static ObjectNode unknownTask() {
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

    boolean is(CommandType commandType) {
        return is(commandType.eventType());
    }

    /** For commands only. */
    CommandType kind() {
        var commandType = CommandType.fromEventType(event.eventType());
        if (commandType == null) {
            throw new IllegalStateException("not a command: " + event.eventType());
        }
        return commandType;
    }

    /** For commands only. */
    Task task() {
        return Task.parse(event);
    }

    /** For commands only. */
    int generation() {
        return event.payload().path("generation").asInt();
    }

    /** For commands only. */
    boolean isOrphan() {
        return event.payload().path(ORPHAN).asBoolean();
    }

    /** For reports only. */
    String commandId() {
        return event.payload().path("command_id").asText();
    }

    boolean isAbout(UUID command) {
        return commandId().equals(command.toString());
    }

    TaskSubject subject() {
        return TaskSubject.parse(event.payload());
    }

    /** Returns a copy of the command without the manifest and the configuration, which only its execution needs. */
    Message withoutDocuments() {
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
}
