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
final class ProcessTable {
    static final String INSTANCE_VARIABLE = "SLIPWAY_APP_INSTANCE_ID";
    static final String PROCESS_VARIABLE = "SLIPWAY_PROCESS";

    private static final Path PROC = Path.of("/proc");
    private static final long EXEC_TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private ProcessTable() {}

    /** Returns whether this pid is a living process that matches. A zombie has no environment and does not match. */
    static boolean matches(long pid, Predicate<List<String>> marked) {
        // During exec the environment is empty for a moment, too.
        var deadline = System.nanoTime() + EXEC_TIMEOUT_NANOS;
        var environment = readEnvironment(String.valueOf(pid));
        while (environment != null && environment.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            environment = readEnvironment(String.valueOf(pid));
        }
        return environment != null && marked.test(environment);
    }

    static List<ProcessHandle> find(Predicate<List<String>> marked) throws IOException {
        var found = new ArrayList<ProcessHandle>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                var pid = entry.getFileName().toString();
                var environment = readEnvironment(pid);
                if (environment != null && marked.test(environment)) {
                    ProcessHandle.of(Long.parseLong(pid)).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    static List<ProcessHandle> findByInstance(Set<UUID> instances) throws IOException {
        return find(byInstances(instances));
    }

    static Predicate<List<String>> byInstances(Set<UUID> instances) {
        return anyOf(instances.stream().map(id -> INSTANCE_VARIABLE + "=" + id).collect(Collectors.toSet()));
    }

    static Predicate<List<String>> byProcesses(UUID instance, Set<String> keys) {
        return anyOf(keys.stream()
                .map(key -> PROCESS_VARIABLE + "=" + processVariable(instance, key))
                .collect(Collectors.toSet()));
    }

    /** Returns the value of {@link #PROCESS_VARIABLE}. */
    static String processVariable(UUID instance, String key) {
        return instance + "/" + key;
    }

    private static Predicate<List<String>> anyOf(Set<String> marks) {
        return environment -> environment.stream().anyMatch(marks::contains);
    }

    private static @Nullable List<String> readEnvironment(String pid) {
        try {
            var text = new String(Files.readAllBytes(PROC.resolve(pid).resolve("environ")), StandardCharsets.UTF_8);
            return text.isEmpty() ? List.of() : Arrays.asList(text.split("\0"));
        } catch (IOException e) {
            return null; // exited, or owned by another user
        }
    }
}
