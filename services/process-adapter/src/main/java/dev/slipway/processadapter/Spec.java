package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What an instance's process is to be. */
record Spec(int generation, String profile, int deploySeconds, JsonNode config) {
    private static final int DEPLOY_SECONDS = 60;
    private static final int DEPLOY_SECONDS_MAX = 3_600;

    static Spec of(DeployCommand command) {
        var seconds =
                command.manifest().path("deadlines").path("deploy_seconds").asInt(DEPLOY_SECONDS);
        return new Spec(
                command.task().generation(),
                command.manifest().path("runtime").path("profile").asText(),
                Math.max(1, Math.min(seconds, DEPLOY_SECONDS_MAX)),
                command.config());
    }

    /** The plain values of the configuration's top level, under names that can't collide with what a system reads. */
    Map<String, String> environment() {
        var variables = new TreeMap<String, String>();
        config.properties().forEach(field -> {
            var name = field.getKey();
            // A NUL would end the value early.
            if (field.getValue().isValueNode() && name.matches("[A-Za-z0-9_]{1,64}")) {
                variables.put(
                        "SLIPWAY_CONFIG_" + name.toUpperCase(Locale.ROOT),
                        field.getValue().asText().replace("\0", ""));
            }
        });
        return variables;
    }

    byte[] toBytes() {
        var node = Json.object();
        node.put("generation", generation);
        node.put("profile", profile);
        node.put("deploy_seconds", deploySeconds);
        node.set("config", config);
        return Json.bytes(node);
    }

    static Spec fromBytes(byte[] bytes) throws IOException {
        var node = Json.parseOwn(bytes);
        return new Spec(
                node.path("generation").asInt(),
                node.path("profile").asText(),
                node.path("deploy_seconds").asInt(DEPLOY_SECONDS),
                node.path("config"));
    }
}
