package dev.slipway.processadapter;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.Task;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The desired state of an instance.
 *
 * @param endpoints the endpoints of the manifest
 * @param metered whether its running time is reported as usage
 */
record InstanceSpec(
        int generation,
        String version,
        String profile,
        int deploySeconds,
        JsonNode config,
        JsonNode endpoints,
        boolean metered,
        @JsonProperty("parts") List<ProcessSpec> processes) {
    /** The registered usage unit that this adapter measures. */
    static final String UNIT = "app_runtime_hour";

    private static final int DEPLOY_SECONDS = 60;
    private static final int DEPLOY_SECONDS_MAX = 3_600;

    InstanceSpec {
        processes = List.copyOf(processes);
    }

    /** Throws {@link IllegalArgumentException} if a member is invalid. */
    static InstanceSpec of(DeployCommand command) {
        return of(command.task(), command.manifest(), command.config(), command.members());
    }

    static InstanceSpec of(UpgradeCommand command) {
        return of(command.task(), command.manifest(), command.config(), command.members());
    }

    private static InstanceSpec of(Task task, JsonNode manifest, JsonNode config, List<MemberRef> members) {
        var seconds = manifest.path("deadlines").path("deploy_seconds").asInt(DEPLOY_SECONDS);
        var parts = members.isEmpty()
                ? List.of(ProcessSpec.single(task.generation()))
                : members.stream()
                        .map(memberRef -> ProcessSpec.forMember(memberRef, task.generation()))
                        .toList();
        return new InstanceSpec(
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

    /** Keeps the current state of processes with the same key, so that a drained member stays drained. */
    InstanceSpec mergeWith(InstanceSpec current) {
        return withProcesses(processes.stream()
                .map(processSpec -> current.processes.stream()
                        .filter(known -> known.key().equals(processSpec.key()))
                        .findFirst()
                        .orElse(processSpec))
                .toList());
    }

    InstanceSpec withProcess(ProcessSpec processSpec) {
        return withProcesses(Stream.concat(
                        processes.stream().filter(p -> !p.key().equals(processSpec.key())), Stream.of(processSpec))
                .toList());
    }

    InstanceSpec withoutProcess(ProcessSpec processSpec) {
        return withProcesses(processes.stream()
                .filter(p -> !p.key().equals(processSpec.key()))
                .toList());
    }

    InstanceSpec updateProcess(ProcessSpec processSpec, UnaryOperator<ProcessSpec> change) {
        return withProcesses(processes.stream()
                .map(p -> p.key().equals(processSpec.key()) ? change.apply(p) : p)
                .toList());
    }

    private InstanceSpec withProcesses(List<ProcessSpec> parts) {
        return new InstanceSpec(generation, version, profile, deploySeconds, config, endpoints, metered, parts);
    }

    /** Returns the scalar values of the configuration's top level, with a prefix that avoids collisions with system variables. */
    Map<String, String> environment() {
        var variables = new TreeMap<String, String>();
        config.properties().forEach(field -> {
            var name = field.getKey();
            // A NUL would truncate the value.
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
        return Json.bytes(this);
    }

    /** A file of an earlier adapter version has no parts: its process is terminated and launched again. */
    static InstanceSpec fromBytes(byte[] bytes) throws IOException {
        return Json.toRecord(Json.parseInternal(bytes), StoredSpec.class).toSpec();
    }

    private record StoredSpec(
            int generation,
            @Nullable String version,
            String profile,
            @Nullable Integer deploySeconds,
            JsonNode config,
            @Nullable ArrayNode endpoints,
            boolean metered,
            @Nullable List<ProcessSpec> parts) {
        InstanceSpec toSpec() {
            return new InstanceSpec(
                    generation,
                    version == null ? "unknown" : version,
                    profile,
                    deploySeconds == null ? DEPLOY_SECONDS : deploySeconds,
                    config,
                    endpoints == null ? Json.array() : endpoints,
                    metered,
                    parts == null ? List.of(ProcessSpec.single(generation)) : parts);
        }
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
