package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.MemberRef;
import dev.slipway.adapter.MemberState;
import dev.slipway.adapter.MemberState.State;
import dev.slipway.adapter.Outcome.Endpoint;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

/** The in-memory state of one instance. Used on the event loop only. */
final class ManagedInstance {
    private final InstanceDir directory;
    private final Map<String, ManagedProcess> processes = new LinkedHashMap<>();
    private final List<ManagedProcess> retiring = new ArrayList<>();
    private final MeteringState meteringState = new MeteringState();
    private List<Endpoint> reportedEndpoints = List.of();
    private @Nullable InstanceSpec spec;
    private int slots;
    private Future<?> busy = Future.succeededFuture();

    ManagedInstance(InstanceDir directory) {
        this.directory = directory;
    }

    UUID id() {
        return directory.instanceId();
    }

    InstanceDir directory() {
        return directory;
    }

    MeteringState metering() {
        return meteringState;
    }

    /** The desired spec; null if nothing should run. */
    @Nullable
    InstanceSpec spec() {
        return spec;
    }

    InstanceSpec requireSpec() {
        return Objects.requireNonNull(spec);
    }

    /** Sets the desired spec. Processes with an unchanged key are kept. */
    void spec(InstanceSpec changed) {
        spec = changed;
        var kept = new LinkedHashMap<>(processes);
        processes.clear();
        for (var processSpec : changed.processes()) {
            var process = kept.getOrDefault(processSpec.key(), new ManagedProcess(directory, processSpec));
            process.spec(processSpec);
            processes.put(processSpec.key(), process);
        }
    }

    /** Sets the desired spec together with processes that run already. */
    void spec(InstanceSpec changed, Collection<ManagedProcess> running) {
        processes.clear();
        running.forEach(process -> processes.put(process.spec().key(), process));
        spec(changed);
    }

    void clearSpec() {
        spec = null;
        processes.clear();
        retiring.clear();
    }

    /** Processes of the old version, which are stopped soon. */
    List<ManagedProcess> retiring() {
        return retiring;
    }

    /** The endpoints last reported to the platform. */
    List<Endpoint> reportedEndpoints() {
        return reportedEndpoints;
    }

    void reportedEndpoints(List<Endpoint> endpoints) {
        reportedEndpoints = endpoints;
    }

    List<ManagedProcess> processes() {
        return List.copyOf(processes.values());
    }

    @Nullable
    ManagedProcess findProcess(MemberRef memberRef) {
        return processes.values().stream()
                .filter(process -> process.spec().isMember(memberRef))
                .findFirst()
                .orElse(null);
    }

    /** Serializes spec changes and terminations, so that a termination cannot hit a process that was just launched. */
    <T> Future<T> runExclusively(Supplier<Future<T>> work) {
        Future<T> result = busy.transform(before -> work.get());
        busy = result;
        return result;
    }

    int slots() {
        return slots;
    }

    void slots(int held) {
        slots = held;
    }

    /** Returns an endpoint for each endpoint of the manifest, served by the first suitable member. */
    List<Endpoint> endpoints() {
        var declared = spec == null ? List.<JsonNode>of() : listOf(spec.endpoints());
        var found = new ArrayList<Endpoint>();
        for (var endpoint : declared) {
            var url = url(endpoint.path("component").textValue());
            if (url != null) {
                found.add(new Endpoint(
                        endpoint.path("name").asText(),
                        url + endpoint.path("path").asText("")));
            }
        }
        var url = declared.isEmpty() ? url(null) : null;
        if (url != null) {
            found.add(new Endpoint("http", url));
        }
        return found;
    }

    private @Nullable String url(@Nullable String component) {
        return processes.values().stream()
                .filter(process -> !process.spec().drained())
                .filter(process -> component == null
                        || process.spec().memberId() == null
                        || process.spec().component().equals(component))
                .map(ManagedProcess::url)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the member states to report; empty for an instance without members. */
    static List<MemberState> memberStates(Collection<ManagedProcess> procs, State state, ProcessLimits limits) {
        return procs.stream()
                .map(process -> process.memberState(
                        state == State.READY && process.spec().drained() ? State.DRAINING : state, limits))
                .filter(Objects::nonNull)
                .toList();
    }

    private static List<JsonNode> listOf(JsonNode array) {
        var list = new ArrayList<JsonNode>();
        array.forEach(list::add);
        return list;
    }
}
