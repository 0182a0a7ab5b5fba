package dev.slipway.adapter;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Reads and writes an instance log as JSON. Fields that older versions did not write get defaults. */
final class InstanceLogJson {
    private static final List<String> LISTS = List.of("handled", "outcomes", "canceled", "commands", "reports");

    private InstanceLogJson() {}

    static byte[] write(InstanceLog log) {
        return Json.bytes(log);
    }

    static InstanceLog read(byte[] bytes) throws IOException {
        var node = (ObjectNode) Json.parseInternal(bytes);
        LISTS.forEach(node::withArray);
        var isOld = !node.has("generation");
        var log = Json.toRecord(node, InstanceLog.class);
        return isOld ? withDefaults(log) : log;
    }

    private static InstanceLog withDefaults(InstanceLog log) {
        var deployed = log.deployed();
        var commands = log.commands();
        return new InstanceLog(
                log.appInstanceId(),
                InstanceLog.highestGeneration(Stream.concat(commands.stream(), Stream.ofNullable(deployed))),
                log.handledCommandIds(),
                log.outcomes(),
                log.canceledCommandIds(),
                commands,
                // The adapter may have been called for the first command; calling it again is harmless.
                commands.isEmpty() ? null : commands.get(0).id(),
                log.reports(),
                deployed,
                deployed == null ? null : deployed.task().appVersion(),
                log.changedAt());
    }
}
