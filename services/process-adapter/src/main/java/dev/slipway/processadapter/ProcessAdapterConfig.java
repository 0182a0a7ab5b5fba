package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.AdapterConfig;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The adapter's settings.
 *
 * @param home the adapter's own directory; must outlive the process
 * @param maxChildren how many processes run at a time; more wait
 * @param profiles what may be launched
 * @param usageWindow how long the time is that one report of usage is about
 */
public record ProcessAdapterConfig(
        AdapterConfig adapter, Path home, int maxChildren, Map<String, Profile> profiles, Duration usageWindow) {
    /** Far more than children, as those that wait for a place count too. */
    public static final int MAX_CONCURRENT = 10_000;

    public ProcessAdapterConfig {
        home = home.toAbsolutePath();
        profiles = Map.copyOf(profiles);
    }

    /** Throws one message that names everything wrong. */
    public static ProcessAdapterConfig from(Map<String, String> env) {
        var settings = new Settings(env);
        var config = from(settings);
        settings.check();
        return config;
    }

    /** Faults are left in {@code settings}. */
    public static ProcessAdapterConfig from(Settings settings) {
        var home = Path.of(settings.required(
                "SLIPWAY_PROCESS_ADAPTER_HOME", "the directory that keeps the instances and what is in flight"));
        var config = new ProcessAdapterConfig(
                AdapterConfig.from(settings, home.resolve("journal"), MAX_CONCURRENT),
                home,
                settings.integer("SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN", 50, 1, 1_000),
                profiles(settings),
                settings.duration("SLIPWAY_PROCESS_ADAPTER_USAGE_WINDOW", Duration.ofMinutes(1)));
        if (!Files.isReadable(Path.of("/proc/self/environ"))) {
            settings.fault("this machine has no /proc, by which the adapter knows its processes: it runs on Linux");
        }
        return config;
    }

    /** The built-in ones, and those of a JSON file: {"name": …}, as {@link Profile#of(JsonNode)} reads them. */
    private static Map<String, Profile> profiles(Settings settings) {
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
                        fault -> settings.fault(name + "=" + file + fault));
            }
        } catch (IOException e) {
            settings.fault(name + "=" + file + " cannot be read: " + e);
        }
        return profiles;
    }

    private static void read(String name, JsonNode json, Map<String, Profile> profiles, Consumer<String> faults) {
        try {
            profiles.put(name, Profile.of(json));
        } catch (IllegalArgumentException e) {
            faults.accept(" is wrong about " + name + ": " + e.getMessage());
        }
    }

    /** {@code echo}: a small server that answers with what it was asked, for trying the platform out. */
    static Map<String, Profile> builtIn() {
        try {
            var classes = EchoServer.class.getProtectionDomain().getCodeSource().getLocation();
            var command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx24m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:CompressedClassSpaceSize=32m",
                    "-Xshare:auto",
                    "-cp",
                    Path.of(classes.toURI()).toString(),
                    EchoServer.class.getName(),
                    "{port_file}");
            var operations = Map.of("echo.ping", "/ping", "echo.wait", "/wait");
            return Map.of("echo", new Profile(command, Map.of(), new Limits(2_048, 256, 5), operations));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("cannot find this program's own classes", e);
        }
    }
}
