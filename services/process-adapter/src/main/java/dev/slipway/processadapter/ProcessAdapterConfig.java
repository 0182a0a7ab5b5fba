package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.AdapterConfig;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Settings of the process adapter.
 *
 * @param home the adapter's data directory; must be persistent
 * @param maxChildren maximum number of concurrent processes; further launches wait
 * @param profiles the profiles that manifests can refer to
 * @param usageWindow length of the window of one usage report
 * @param account the user that apps run as
 * @param sourceCommit the commit that the adapter was built from; null if it is not known
 */
public record ProcessAdapterConfig(
        AdapterConfig adapter,
        Path home,
        int maxChildren,
        Map<String, LaunchProfile> profiles,
        Duration usageWindow,
        AppAccount account,
        @Nullable String sourceCommit) {
    /** Much larger than the number of processes, because commands that wait for a slot count too. */
    public static final int MAX_CONCURRENT = 10_000;

    public ProcessAdapterConfig {
        home = home.toAbsolutePath();
        profiles = Map.copyOf(profiles);
    }

    /** Throws one exception that lists all faults. */
    public static ProcessAdapterConfig from(Map<String, String> env) {
        var settings = new Settings(env);
        var config = from(settings);
        settings.requireValid();
        return config;
    }

    /** Faults are collected in {@code settings}. */
    public static ProcessAdapterConfig from(Settings settings) {
        var home = Path.of(
                settings.required("SLIPWAY_PROCESS_ADAPTER_HOME", "directory for instances, commands and reports"));
        var config = new ProcessAdapterConfig(
                AdapterConfig.from(settings, home.resolve("journal"), MAX_CONCURRENT),
                home,
                settings.integer("SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN", 50, 1, 1_000),
                profiles(settings),
                settings.duration("SLIPWAY_PROCESS_ADAPTER_USAGE_WINDOW", Duration.ofMinutes(1)),
                AppAccount.from(settings, home),
                settings.optional("SLIPWAY_SOURCE_COMMIT"));
        if (!Files.isReadable(Path.of("/proc/self/environ"))) {
            settings.addError(
                    "/proc is not readable: the process adapter identifies its processes through /proc and runs on Linux only");
        }
        return config;
    }

    /** Returns the built-in profiles and those of a JSON file: {"name": …}, see {@link LaunchProfile#of(JsonNode)}. */
    private static Map<String, LaunchProfile> profiles(Settings settings) {
        var profiles = new HashMap<>(builtIn());
        var name = "SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE";
        var file = settings.optional(name);
        if (file == null) {
            return profiles;
        }
        try {
            for (var profile : Json.parse(Files.readAllBytes(Path.of(file))).properties()) {
                read(
                        profile.getKey(),
                        profile.getValue(),
                        profiles,
                        fault -> settings.addError(name + "=" + file + fault));
            }
        } catch (IOException e) {
            settings.addError(name + "=" + file + " cannot be read: " + e);
        }
        return profiles;
    }

    private static void read(String name, JsonNode json, Map<String, LaunchProfile> profiles, Consumer<String> faults) {
        try {
            profiles.put(name, LaunchProfile.of(json));
        } catch (IllegalArgumentException e) {
            faults.accept(": invalid profile " + name + ": " + e.getMessage());
        }
    }

    /**
     * Returns the profiles of the bundled demo apps: {@code echo}, a small server that returns each request, and {@code echo-cluster}, a
     * controller that has its workers do so.
     */
    static Map<String, LaunchProfile> builtIn() {
        var limits = new ProcessLimits(2_048, 256, 5);
        var server = javaCommand(EchoServer.class, "{port_file}");
        var controller = javaCommand(EchoClusterController.class, "{port_file}", "{dir}");
        return Map.of(
                "echo",
                new LaunchProfile(server, Map.of(), limits, Map.of("echo.ping", "/ping", "echo.wait", "/wait"), null),
                "echo-cluster",
                new LaunchProfile(
                        server,
                        Map.of(EchoClusterController.COMPONENT, controller),
                        limits,
                        Map.of("job.submit", "/submit"),
                        EchoClusterController.COMPONENT));
    }

    private static List<String> javaCommand(Class<?> main, String... arguments) {
        try {
            var classes = main.getProtectionDomain().getCodeSource().getLocation();
            var command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx24m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:CompressedClassSpaceSize=32m",
                    "-Xshare:auto",
                    "-cp",
                    Path.of(classes.toURI()).toString(),
                    main.getName()));
            command.addAll(List.of(arguments));
            return command;
        } catch (URISyntaxException e) {
            throw new IllegalStateException("cannot locate the classes of the demo apps", e);
        }
    }
}
