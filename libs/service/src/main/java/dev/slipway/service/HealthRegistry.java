package dev.slipway.service;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The readiness of this process and of each of its parts, with the reason. */
public final class HealthRegistry {
    private final Map<String, Supplier<Status>> parts = new ConcurrentSkipListMap<>();

    /** The readiness of one part, and a description for operators. */
    public record Status(boolean ready, String message) {}

    public void register(String part, Supplier<Status> status) {
        parts.put(part, status);
    }

    public void remove(String part) {
        parts.remove(part);
    }

    public boolean isReady() {
        return describe().ready;
    }

    /** Lists the parts that are not ready, each with its message. */
    public String describeNotReady() {
        return describe().parts.entrySet().stream()
                .filter(part -> !part.getValue().ready())
                .map(part -> part.getKey() + " (" + part.getValue().message() + ")")
                .collect(Collectors.joining(", "));
    }

    /** The body of {@code /health/ready}. */
    record Health(boolean ready, Map<String, Status> parts) {}

    Health describe() {
        var statuses = new TreeMap<String, Status>();
        parts.forEach((name, status) -> statuses.put(name, status.get()));
        return new Health(!statuses.isEmpty() && statuses.values().stream().allMatch(Status::ready), statuses);
    }
}
