package dev.slipway.settings;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;

/** Reads typed settings and remembers every fault, so that one start reports them all. */
public final class Settings {
    private static final UUID NO_ID = new UUID(0, 0);

    private final Map<String, String> values;
    /** Each once: a setting may be read by several. */
    private final Set<String> faults;

    public Settings(Map<String, String> values) {
        this(values, new LinkedHashSet<>());
    }

    private Settings(Map<String, String> values, Set<String> faults) {
        this.values = values;
        this.faults = faults;
    }

    /** With values for what is not set. Faults that are found in it are faults of these settings too. */
    public Settings withDefaults(Map<String, String> defaults) {
        var merged = new HashMap<>(values);
        defaults.forEach(
                (name, value) -> merged.compute(name, (same, set) -> set == null || set.isBlank() ? value : set));
        return new Settings(merged, faults);
    }

    /** The environment over the file that SLIPWAY_CONFIG_FILE names (name=value lines), if it names one. */
    public static Map<String, String> withFile(Map<String, String> environment) {
        var file = environment.get("SLIPWAY_CONFIG_FILE");
        if (file == null || file.isBlank()) {
            return Map.copyOf(environment);
        }
        var merged = new HashMap<>(properties("SLIPWAY_CONFIG_FILE", file));
        merged.putAll(environment);
        return Map.copyOf(merged);
    }

    public String text(String name, String fallback) {
        var value = optional(name);
        return value == null ? fallback : value;
    }

    public String required(String name, String purpose) {
        var value = optional(name);
        if (value == null) {
            faults.add(name + " is not set: " + purpose);
            return "";
        }
        return value;
    }

    public @Nullable String optional(String name) {
        var value = values.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    public UUID id(String name, String purpose) {
        var value = required(name, purpose);
        try {
            return value.isEmpty() ? NO_ID : UUID.fromString(value);
        } catch (IllegalArgumentException e) {
            faults.add(name + "=" + value + " is not a UUID");
            return NO_ID;
        }
    }

    /** An address by http or https, without a slash at its end. */
    public URI url(String name, String purpose) {
        var value = required(name, purpose);
        if (!value.isEmpty() && !value.matches("https?://[^/?#]+(/[^?#]*)?")) {
            faults.add(name + "=" + value + " is not an http or https address");
            return URI.create("");
        }
        return URI.create(value.replaceAll("/+$", ""));
    }

    /** A TCP port; 0 means a free one. */
    public int port(String name, int fallback) {
        return integer(name, fallback, 0, 65_535);
    }

    public int integer(String name, int fallback, int min, int max) {
        var value = optional(name);
        if (value == null) {
            return fallback;
        }
        try {
            var number = Integer.parseInt(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through to the fault.
        }
        faults.add(name + "=" + value + " is not a whole number from " + min + " to " + max);
        return fallback;
    }

    public boolean flag(String name, boolean fallback) {
        var value = optional(name);
        if (value == null || value.equals("true") || value.equals("false")) {
            return value == null ? fallback : value.equals("true");
        }
        faults.add(name + "=" + value + " is neither true nor false");
        return fallback;
    }

    /** A duration as ISO-8601 writes it: PT30S, PT5M. */
    public Duration duration(String name, Duration fallback) {
        var value = optional(name);
        if (value == null) {
            return fallback;
        }
        try {
            var duration = Duration.parse(value);
            if (!duration.isNegative() && !duration.isZero()) {
                return duration;
            }
        } catch (DateTimeParseException e) {
            // Falls through to the fault.
        }
        faults.add(name + "=" + value + " is not a duration such as PT30S");
        return fallback;
    }

    /** A comma-separated list. */
    public List<String> list(String name, List<String> fallback) {
        var value = optional(name);
        return value == null
                ? fallback
                : java.util.Arrays.stream(value.split(","))
                        .map(String::strip)
                        .filter(s -> !s.isEmpty())
                        .toList();
    }

    public List<String> listOf(String name, List<String> fallback, List<String> known) {
        var given = list(name, fallback);
        for (var item : given) {
            if (!known.contains(item)) {
                faults.add(name + " has " + item + ", which is none of " + String.join(", ", known));
            }
        }
        return given;
    }

    /** The name=value lines of a file. */
    public Map<String, String> file(String name) {
        var path = optional(name);
        if (path == null) {
            return Map.of();
        }
        try {
            return properties(name, path);
        } catch (InvalidSettingsException e) {
            faults.addAll(e.faults());
            return Map.of();
        }
    }

    /** The name of a file that is there; null if it is not set. */
    public @Nullable String readable(String name) {
        var path = optional(name);
        if (path != null && !Files.isReadable(Path.of(path))) {
            fault(name + "=" + path + " cannot be read");
        }
        return path;
    }

    public void fault(String sentence) {
        faults.add(sentence);
    }

    /** Throws if anything was wrong. */
    public void check() {
        if (!faults.isEmpty()) {
            throw new InvalidSettingsException(List.copyOf(faults));
        }
    }

    private static Map<String, String> properties(String name, String path) {
        var properties = new Properties();
        try {
            properties.load(new StringReader(Files.readString(Path.of(path))));
        } catch (IOException | IllegalArgumentException e) {
            throw new InvalidSettingsException(List.of(name + "=" + path + " cannot be read: " + e));
        }
        var values = new HashMap<String, String>();
        properties.forEach((key, value) -> values.put(String.valueOf(key), String.valueOf(value)));
        return values;
    }

    /** The settings are wrong; the message says all that is wrong with them. */
    public static final class InvalidSettingsException extends IllegalArgumentException {
        private final transient List<String> faults;

        InvalidSettingsException(List<String> faults) {
            super(String.join("; ", faults));
            this.faults = faults;
        }

        public List<String> faults() {
            return faults;
        }
    }
}
