package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All that is on record about one instance; every change makes a new one, which is written as a whole.
 *
 * @param handled the commands that are over, to know them when they come again
 * @param commands those to be carried out, the first perhaps being so now
 * @param reports those that the broker does not have yet, oldest first
 * @param deployed the last deployment that was not deleted: later reports are about it
 */
record InstanceLog(
        UUID appInstanceId,
        List<UUID> handled,
        List<Message> commands,
        List<Message> reports,
        @Nullable Message deployed,
        Instant changedAt) {
    private static final int HANDLED_MAX = 1_000;

    InstanceLog {
        handled = List.copyOf(handled);
        commands = List.copyOf(commands);
        reports = List.copyOf(reports);
    }

    static InstanceLog empty(UUID appInstanceId) {
        return new InstanceLog(appInstanceId, List.of(), List.of(), List.of(), null, Instant.EPOCH);
    }

    boolean knows(UUID commandId) {
        return handled.contains(commandId) || commands.stream().anyMatch(c -> c.id().equals(commandId));
    }

    /** True when the first command is a deployment that a delete behind it makes pointless. */
    boolean isSuperseded() {
        return !commands.isEmpty()
                && commands.get(0).is(Message.DEPLOY)
                && commands.stream().anyMatch(c -> c.is(Message.DELETE));
    }

    boolean isEnding() {
        return commands.stream().anyMatch(c -> c.is(Message.DELETE));
    }

    /** True when nothing is left to do; what remains is there to know old commands by. */
    boolean isSettled() {
        return commands.isEmpty() && reports.isEmpty() && deployed == null;
    }

    InstanceLog accept(Message command) {
        return with(handled, append(commands, command), reports, deployed);
    }

    /** The command and its outcome change places in one write: neither can be lost, nor the outcome be made twice. */
    InstanceLog finish(Message command, Outcome outcome, Message report) {
        var last = deployed;
        if (outcome instanceof Outcome.Deleted) {
            last = null;
        } else if (command.is(Message.DEPLOY)) {
            last = command.brief();
        }
        return without(command, append(reports, report), last);
    }

    /** The command is over and nobody needs to hear of it. */
    InstanceLog drop(Message command) {
        return without(command, reports, deployed);
    }

    /** A later word on a deployment's progress replaces those not sent yet, save the first: it may be on its way. */
    InstanceLog report(Message report) {
        var kept = new ArrayList<>(reports);
        if (report.is(Message.DEPLOYING) && kept.size() > 1) {
            kept.subList(1, kept.size())
                    .removeIf(r -> r.is(Message.DEPLOYING) && r.commandId().equals(report.commandId()));
        }
        kept.add(report);
        return with(handled, commands, kept, deployed);
    }

    InstanceLog sent(Message report) {
        return with(handled, commands, remove(reports, report), deployed);
    }

    private InstanceLog without(Message command, List<Message> reports, @Nullable Message deployed) {
        var known = Stream.concat(handled.stream(), Stream.of(command.id())).toList();
        var tooMany = Math.max(0, known.size() - HANDLED_MAX);
        return with(known.subList(tooMany, known.size()), remove(commands, command), reports, deployed);
    }

    private InstanceLog with(
            List<UUID> handled, List<Message> commands, List<Message> reports, @Nullable Message deployed) {
        return new InstanceLog(appInstanceId, handled, commands, reports, deployed, Instant.now());
    }

    private static List<Message> append(List<Message> messages, Message last) {
        return Stream.concat(messages.stream(), Stream.of(last)).toList();
    }

    private static List<Message> remove(List<Message> messages, Message gone) {
        return messages.stream().filter(m -> !m.id().equals(gone.id())).toList();
    }

    byte[] toBytes() {
        var node = Json.object();
        node.put("app_instance_id", appInstanceId.toString());
        node.put("changed_at", changedAt.toString());
        var ids = node.putArray("handled");
        handled.forEach(id -> ids.add(id.toString()));
        putAll(node, "commands", commands);
        putAll(node, "reports", reports);
        if (deployed != null) {
            node.set("deployed", deployed.toJson());
        }
        return Json.bytes(node);
    }

    static InstanceLog fromBytes(byte[] bytes) throws java.io.IOException {
        var node = Json.parseOwn(bytes);
        var deployed = node.path("deployed");
        return new InstanceLog(
                UUID.fromString(node.path("app_instance_id").asText()),
                stream(node.path("handled"))
                        .map(id -> UUID.fromString(id.asText()))
                        .toList(),
                stream(node.path("commands")).map(Message::fromJson).toList(),
                stream(node.path("reports")).map(Message::fromJson).toList(),
                deployed.isMissingNode() ? null : Message.fromJson(deployed),
                Instant.parse(node.path("changed_at").asText()));
    }

    private static void putAll(ObjectNode node, String field, List<Message> messages) {
        var array = node.putArray(field);
        messages.forEach(m -> array.add(m.toJson()));
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
