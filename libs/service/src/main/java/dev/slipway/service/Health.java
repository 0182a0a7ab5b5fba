package dev.slipway.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Whether this process can do its work, and if not, which part cannot and why. */
public final class Health {
    private final Map<String, Supplier<Status>> parts = new ConcurrentSkipListMap<>();

    /** The state of one part, in words. */
    public record Status(boolean ready, String message) {}

    public void register(String part, Supplier<Status> status) {
        parts.put(part, status);
    }

    public void remove(String part) {
        parts.remove(part);
    }

    public boolean ready() {
        return !parts.isEmpty()
                && parts.values().stream().allMatch(part -> part.get().ready());
    }

    public ObjectNode describe() {
        var node = Json.object().put("ready", ready());
        var details = node.putObject("parts");
        parts.forEach((name, part) -> {
            var status = part.get();
            details.putObject(name).put("ready", status.ready()).put("message", status.message());
        });
        return node;
    }
}
