package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.Member;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.contract.Json;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What is to run of an instance.
 *
 * @param endpoints those of the manifest
 * @param metered whether the time that it runs is usage
 */
record Spec(
        int generation,
        String version,
        String profile,
        int deploySeconds,
        JsonNode config,
        JsonNode endpoints,
        boolean metered,
        List<Part> parts) {
    /** The registered unit that this adapter can tell. */
    static final String UNIT = "app_runtime_hour";

    private static final int DEPLOY_SECONDS = 60;
    private static final int DEPLOY_SECONDS_MAX = 3_600;

    Spec {
        parts = List.copyOf(parts);
    }

    /** Throws {@link IllegalArgumentException} where a member cannot be one. */
    static Spec of(DeployCommand command) {
        return of(command.task(), command.manifest(), command.config(), command.members());
    }

    static Spec of(UpgradeCommand command) {
        return of(command.task(), command.manifest(), command.config(), command.members());
    }

    private static Spec of(Task task, JsonNode manifest, JsonNode config, List<Member> members) {
        var seconds = manifest.path("deadlines").path("deploy_seconds").asInt(DEPLOY_SECONDS);
        var parts = members.isEmpty()
                ? List.of(Part.alone(task.generation()))
                : members.stream()
                        .map(member -> Part.of(member, task.generation()))
                        .toList();
        return new Spec(
                task.generation(),
                task.appVersion(),
                manifest.path("runtime").path("profile").asText(),
                Math.max(1, Math.min(seconds, DEPLOY_SECONDS_MAX)),
                config,
                manifest.path("endpoints").isArray() ? manifest.path("endpoints") : Json.array(),
                stream(manifest.path("usage_units"))
                        .anyMatch(unit -> unit.asText().equals(UNIT)),
                parts);
    }

    /** What stays of the same generation stays as it is: a drained member is drained. */
    Spec keeping(Spec current) {
        return parts(parts.stream()
                .map(part -> current.parts.stream()
                        .filter(known -> known.key().equals(part.key()))
                        .findFirst()
                        .orElse(part))
                .toList());
    }

    Spec with(Part part) {
        return parts(Stream.concat(parts.stream().filter(p -> !p.key().equals(part.key())), Stream.of(part))
                .toList());
    }

    Spec without(Part part) {
        return parts(parts.stream().filter(p -> !p.key().equals(part.key())).toList());
    }

    Spec change(Part part, UnaryOperator<Part> change) {
        return parts(parts.stream()
                .map(p -> p.key().equals(part.key()) ? change.apply(p) : p)
                .toList());
    }

    private Spec parts(List<Part> parts) {
        return new Spec(generation, version, profile, deploySeconds, config, endpoints, metered, parts);
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
        variables.put("SLIPWAY_APP_VERSION", version);
        return variables;
    }

    byte[] toBytes() {
        var node = Json.object();
        node.put("generation", generation);
        node.put("version", version);
        node.put("profile", profile);
        node.put("deploy_seconds", deploySeconds);
        node.put("metered", metered);
        node.set("config", config);
        node.set("endpoints", endpoints);
        var array = node.putArray("parts");
        parts.forEach(part -> array.add(part.toJson()));
        return Json.bytes(node);
    }

    /** One that an earlier version of this adapter wrote has no parts: what it launched is ended, and launched anew. */
    static Spec fromBytes(byte[] bytes) throws IOException {
        var node = Json.parseOwn(bytes);
        var generation = node.path("generation").asInt();
        return new Spec(
                generation,
                node.path("version").asText("unknown"),
                node.path("profile").asText(),
                node.path("deploy_seconds").asInt(DEPLOY_SECONDS),
                node.path("config"),
                node.path("endpoints") instanceof ArrayNode endpoints ? endpoints : Json.array(),
                node.path("metered").asBoolean(),
                node.has("parts")
                        ? stream(node.path("parts")).map(Part::fromJson).toList()
                        : List.of(Part.alone(generation)));
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
