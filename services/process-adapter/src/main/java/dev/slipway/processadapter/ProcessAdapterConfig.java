package dev.slipway.processadapter;

import dev.slipway.adapter.AdapterConfig;
import dev.slipway.contract.Json;
import dev.slipway.settings.Settings;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The adapter's settings.
 *
 * @param home the adapter's own directory; must outlive the process
 * @param maxChildren how many instances run at a time; more wait
 * @param profiles what may be launched: words of a command line, where {port_file} and {dir} are filled in
 */
public record ProcessAdapterConfig(
        AdapterConfig adapter, Path home, int maxChildren, Map<String, List<String>> profiles) {
    /** Far more than children, as those that wait for a place count too. */
    public static final int MAX_CONCURRENT = 10_000;

    public ProcessAdapterConfig {
        home = home.toAbsolutePath();
        profiles = Map.copyOf(profiles);
    }

    /** Throws one message that names everything wrong. */
    public static ProcessAdapterConfig from(Map<String, String> env) {
        var settings = new Settings(env);
        var home = Path.of(settings.required(
                "SLIPWAY_PROCESS_ADAPTER_HOME", "the directory that keeps the instances and what is in flight"));
        var config = new ProcessAdapterConfig(
                AdapterConfig.from(settings, home.resolve("journal"), MAX_CONCURRENT),
                home,
                settings.integer("SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN", 50, 1, 1_000),
                profiles(settings));
        if (!Files.isReadable(Path.of("/proc/self/environ"))) {
            settings.fault("this machine has no /proc, by which the adapter knows its processes: it runs on Linux");
        }
        settings.check();
        return config;
    }

    /** The built-in ones, and those of a JSON file: {"name": ["word", …]}. */
    private static Map<String, List<String>> profiles(Settings settings) {
        var profiles = new HashMap<>(builtIn());
        var name = "SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE";
        var file = settings.optional(name);
        if (file == null) {
            return profiles;
        }
        try {
            for (var profile : Json.parse(Files.readAllBytes(Path.of(file))).properties()) {
                var words = new ArrayList<String>();
                profile.getValue().forEach(word -> words.add(word.asText()));
                if (words.isEmpty()) {
                    settings.fault(name + "=" + file + " has no words for " + profile.getKey());
                }
                profiles.put(profile.getKey(), List.copyOf(words));
            }
        } catch (IOException e) {
            settings.fault(name + "=" + file + " cannot be read: " + e);
        }
        return profiles;
    }

    /** {@code echo}: a small server that answers with what it was asked, for trying the platform out. */
    public static Map<String, List<String>> builtIn() {
        try {
            var classes = EchoServer.class.getProtectionDomain().getCodeSource().getLocation();
            return Map.of(
                    "echo",
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx24m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Xshare:auto",
                            "-cp",
                            Path.of(classes.toURI()).toString(),
                            EchoServer.class.getName(),
                            "{port_file}"));
        } catch (URISyntaxException e) {
            throw new IllegalStateException("cannot find this program's own classes", e);
        }
    }
}
