package dev.slipway.processadapter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Knows processes by marks in their environment, as /proc shows it: their instance's id, and which of its processes they are. Whatever
 * an app starts inherits both. Blocking.
 */
final class Processes {
    static final String MARK = "SLIPWAY_APP_INSTANCE_ID";
    static final String PART = "SLIPWAY_PROCESS";

    private static final Path PROC = Path.of("/proc");
    private static final long EXEC_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Processes() {}

    /** Whether this pid is a living process of that kind. A dead one that nobody has reaped has no environment: it is not. */
    static boolean belongs(long pid, Predicate<List<String>> marked) {
        // A process that is just becoming another program shows no environment for a moment either.
        var deadline = System.nanoTime() + EXEC_NANOS;
        var environment = environment(String.valueOf(pid));
        while (environment != null && environment.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            environment = environment(String.valueOf(pid));
        }
        return environment != null && marked.test(environment);
    }

    static List<ProcessHandle> all(Predicate<List<String>> marked) throws IOException {
        var found = new ArrayList<ProcessHandle>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                var pid = entry.getFileName().toString();
                var environment = environment(pid);
                if (environment != null && marked.test(environment)) {
                    ProcessHandle.of(Long.parseLong(pid)).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    /** All processes of these instances. */
    static List<ProcessHandle> of(Set<UUID> instances) throws IOException {
        return all(ofInstances(instances));
    }

    static Predicate<List<String>> ofInstances(Set<UUID> instances) {
        return anyOf(instances.stream().map(id -> MARK + "=" + id).collect(Collectors.toSet()));
    }

    static Predicate<List<String>> ofParts(UUID instance, Set<String> keys) {
        return anyOf(keys.stream().map(key -> PART + "=" + part(instance, key)).collect(Collectors.toSet()));
    }

    /** The value of the mark. */
    static String part(UUID instance, String key) {
        return instance + "/" + key;
    }

    private static Predicate<List<String>> anyOf(Set<String> marks) {
        return environment -> environment.stream().anyMatch(marks::contains);
    }

    private static @Nullable List<String> environment(String pid) {
        try {
            var text = new String(Files.readAllBytes(PROC.resolve(pid).resolve("environ")), StandardCharsets.UTF_8);
            return text.isEmpty() ? List.of() : Arrays.asList(text.split("\0"));
        } catch (IOException e) {
            return null; // gone, or somebody else's
        }
    }
}
