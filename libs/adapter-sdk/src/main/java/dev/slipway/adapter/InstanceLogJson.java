package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A log as a file of the journal. What older versions did not write is absent there, and made up for. */
final class InstanceLogJson {
    private InstanceLogJson() {}

    static byte[] write(InstanceLog log) {
        var node = Json.object();
        node.put("app_instance_id", log.appInstanceId().toString());
        node.put("changed_at", log.changedAt().toString());
        node.put("generation", log.generation());
        putIds(node, "handled", log.handled());
        putAll(node, "outcomes", log.outcomes());
        putIds(node, "canceled", log.canceled());
        putAll(node, "commands", log.commands());
        putAll(node, "reports", log.reports());
        var begun = log.begun();
        if (begun != null) {
            node.put("begun", begun.toString());
        }
        var deployed = log.deployed();
        if (deployed != null) {
            node.set("deployed", deployed.toJson());
        }
        var runs = log.runs();
        if (runs != null) {
            node.put("runs", runs);
        }
        return Json.bytes(node);
    }

    static InstanceLog read(byte[] bytes) throws IOException {
        var node = Json.parseOwn(bytes);
        var commands = messages(node.path("commands"));
        var deployed = node.has("deployed") ? Message.fromJson(node.path("deployed")) : null;
        var seen = Stream.concat(commands.stream(), Stream.ofNullable(deployed));
        return new InstanceLog(
                UUID.fromString(node.path("app_instance_id").asText()),
                node.has("generation") ? node.path("generation").asInt() : InstanceLog.highest(seen),
                ids(node.path("handled")),
                messages(node.path("outcomes")),
                ids(node.path("canceled")),
                commands,
                begun(node, commands),
                messages(node.path("reports")),
                deployed,
                node.has("runs") ? node.path("runs").asText() : version(deployed),
                Instant.parse(node.path("changed_at").asText()));
    }

    /** Without a note, the adapter may have been called for the first: asking it again does no harm. */
    private static @Nullable UUID begun(JsonNode node, List<Message> commands) {
        if (node.has("begun")) {
            return UUID.fromString(node.path("begun").asText());
        }
        return node.has("generation") || commands.isEmpty()
                ? null
                : commands.get(0).id();
    }

    private static @Nullable String version(@Nullable Message deployed) {
        return deployed == null ? null : deployed.task().appVersion();
    }

    private static void putIds(ObjectNode node, String field, List<UUID> ids) {
        var array = node.putArray(field);
        ids.forEach(id -> array.add(id.toString()));
    }

    private static void putAll(ObjectNode node, String field, List<Message> messages) {
        var array = node.putArray(field);
        messages.forEach(m -> array.add(m.toJson()));
    }

    private static List<UUID> ids(JsonNode array) {
        return stream(array).map(id -> UUID.fromString(id.asText())).toList();
    }

    private static List<Message> messages(JsonNode array) {
        return stream(array).map(Message::fromJson).toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
