package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

/** Sample commands. */
final class SampleCommands {
    static final Map<String, String> HEADERS = Map.of(
            "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "ce_id", "not part of the trace");

    private SampleCommands() {}

    static Envelope deploy(UUID instance) {
        return launch(CommandType.DEPLOY, instance, 1, "1.0.0");
    }

    /** Creates a deploy, an upgrade or a rollback. */
    static Envelope launch(CommandType commandType, UUID instance, int generation, String version) {
        var payload = payload(instance).put("generation", generation).put("app_version", version);
        payload.putObject("manifest").putObject("runtime").put("profile", "echo");
        payload.putObject("config").put("message", "hello");
        if (commandType != CommandType.DEPLOY) {
            payload.put("operation_id", Ids.next().toString()).put("from_version", "1.0.0");
        }
        return envelope(commandType.eventType(), payload);
    }

    static Envelope operate(UUID instance) {
        var payload =
                payload(instance).put("operation_id", Ids.next().toString()).put("operation", "echo.ping");
        payload.putObject("input").put("message", "hello");
        return envelope(CommandType.OPERATE.eventType(), payload);
    }

    static Envelope cancel(UUID instance, UUID command) {
        var payload = payload(instance)
                .put("operation_id", Ids.next().toString())
                .put("canceled_command_id", command.toString());
        return envelope(CommandType.CANCEL.eventType(), payload);
    }

    static Envelope delete(UUID instance) {
        return envelope(CommandType.DELETE.eventType(), payload(instance));
    }

    static Message command(Envelope event) {
        return Message.parseCommand(event, HEADERS);
    }

    private static ObjectNode payload(UUID instance) {
        return Json.object()
                .put("org_id", Ids.next().toString())
                .put("project_id", Ids.next().toString())
                .put("app_slug", "echo")
                .put("app_instance_id", instance.toString())
                .put("generation", 1)
                .put("runtime_backend", "bare_metal")
                .put("app_version", "1.0.0")
                .put("resource_name", "slipway:eu:o:p:app_instance:" + instance)
                .put("operator_service_account_id", Ids.next().toString());
    }

    private static Envelope envelope(String type, ObjectNode payload) {
        return new Envelope(Ids.next(), type, Instant.parse("2026-01-02T03:04:05Z"), 1, "corr-" + Ids.next(), payload);
    }
}
