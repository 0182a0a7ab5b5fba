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

/** Knows processes by the instance's id in their environment, as /proc shows it. Blocking. */
final class Processes {
    static final String MARK = "SLIPWAY_APP_INSTANCE_ID";

    private static final Path PROC = Path.of("/proc");
    private static final long EXEC_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Processes() {}

    /** Whether this pid is a living process of the instance. A dead one that nobody has reaped has no environment: it is not. */
    static boolean belongs(long pid, UUID instance) {
        // A process that is just becoming another program shows no environment for a moment either.
        var deadline = System.nanoTime() + EXEC_NANOS;
        var environment = environment(String.valueOf(pid));
        while (environment != null && environment.isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            environment = environment(String.valueOf(pid));
        }
        return environment != null && environment.contains(mark(instance));
    }

    /** All processes of these instances, also the ones that their apps have started. */
    static List<ProcessHandle> of(Set<UUID> instances) throws IOException {
        var marks = instances.stream().map(Processes::mark).toList();
        var found = new ArrayList<ProcessHandle>();
        try (var entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (var entry : entries) {
                var pid = entry.getFileName().toString();
                var environment = environment(pid);
                if (environment != null && marks.stream().anyMatch(environment::contains)) {
                    ProcessHandle.of(Long.parseLong(pid)).ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private static String mark(UUID instance) {
        return MARK + "=" + instance;
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
