package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.Member;
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

/** One instance as the event loop sees it. */
final class Instance {
    private final InstanceDir directory;
    private final Map<String, Proc> procs = new LinkedHashMap<>();
    private final List<Proc> outgoing = new ArrayList<>();
    private final Metering metering = new Metering();
    private List<Endpoint> told = List.of();
    private @Nullable Spec spec;
    private int places;
    private Future<?> busy = Future.succeededFuture();

    Instance(InstanceDir directory) {
        this.directory = directory;
    }

    UUID id() {
        return directory.instance();
    }

    InstanceDir directory() {
        return directory;
    }

    Metering metering() {
        return metering;
    }

    /** What is to run; null when nothing is. */
    @Nullable
    Spec spec() {
        return spec;
    }

    Spec requireSpec() {
        return Objects.requireNonNull(spec);
    }

    /** Takes what is to run; processes that stay the same stay. */
    void spec(Spec changed) {
        spec = changed;
        var kept = new LinkedHashMap<>(procs);
        procs.clear();
        for (var part : changed.parts()) {
            var proc = kept.getOrDefault(part.key(), new Proc(directory, part));
            proc.part(part);
            procs.put(part.key(), proc);
        }
    }

    /** Takes what is to run, by processes that run already. */
    void spec(Spec changed, Collection<Proc> running) {
        procs.clear();
        running.forEach(proc -> procs.put(proc.part().key(), proc));
        spec(changed);
    }

    void noSpec() {
        spec = null;
        procs.clear();
        outgoing.clear();
    }

    /** Processes that another version has taken over from; they end soon. */
    List<Proc> outgoing() {
        return outgoing;
    }

    /** Where the platform thinks that it is. */
    List<Endpoint> told() {
        return told;
    }

    void told(List<Endpoint> endpoints) {
        told = endpoints;
    }

    List<Proc> procs() {
        return List.copyOf(procs.values());
    }

    @Nullable
    Proc proc(Member member) {
        return procs.values().stream()
                .filter(proc -> proc.part().is(member))
                .findFirst()
                .orElse(null);
    }

    /** What changes the record or ends processes happens one after another: an end must not hit what a launch has just begun. */
    <T> Future<T> exclusively(Supplier<Future<T>> work) {
        Future<T> result = busy.transform(before -> work.get());
        busy = result;
        return result;
    }

    int places() {
        return places;
    }

    void places(int held) {
        places = held;
    }

    /** Where users reach it: for each endpoint of the manifest, the first member that can serve it. */
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
        return procs.values().stream()
                .filter(proc -> !proc.part().drained())
                .filter(proc -> component == null
                        || proc.part().memberId() == null
                        || proc.part().component().equals(component))
                .map(Proc::url)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** What the platform is told of these members; of an instance without any, nothing. */
    static List<MemberState> states(Collection<Proc> procs, State state, Limits limits) {
        return procs.stream()
                .map(proc -> proc.state(state == State.READY && proc.part().drained() ? State.DRAINING : state, limits))
                .filter(Objects::nonNull)
                .toList();
    }

    private static List<JsonNode> listOf(JsonNode array) {
        var list = new ArrayList<JsonNode>();
        array.forEach(list::add);
        return list;
    }
}
