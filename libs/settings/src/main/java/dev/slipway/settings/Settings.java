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

/** Reads typed settings and collects all errors, so that one start reports all of them. */
public final class Settings {
    private static final UUID NO_ID = new UUID(0, 0);

    private final Map<String, String> values;
    /** A set, because a setting can be read several times. */
    private final Set<String> errors;

    public Settings(Map<String, String> values) {
        this(values, new LinkedHashSet<>());
    }

    private Settings(Map<String, String> values, Set<String> faults) {
        this.values = values;
        this.errors = faults;
    }

    /** Returns settings with default values for unset names. Both instances share their errors. */
    public Settings withDefaults(Map<String, String> defaults) {
        var merged = new HashMap<>(values);
        defaults.forEach((name, value) ->
                merged.compute(name, (key, current) -> current == null || current.isBlank() ? value : current));
        return new Settings(merged, errors);
    }

    /** Returns the values of the file in SLIPWAY_CONFIG_FILE (name=value lines), if set, overridden by the environment. */
    public static Map<String, String> withConfigFile(Map<String, String> environment) {
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
            errors.add(name + " is not set: " + purpose);
            return "";
        }
        return value;
    }

    public @Nullable String optional(String name) {
        var value = values.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    public UUID uuid(String name, String purpose) {
        var value = required(name, purpose);
        try {
            return value.isEmpty() ? NO_ID : UUID.fromString(value);
        } catch (IllegalArgumentException e) {
            errors.add(name + "=" + value + " is not a UUID");
            return NO_ID;
        }
    }

    /** Returns an http or https URL without trailing slashes. */
    public URI url(String name, String purpose) {
        var value = required(name, purpose);
        if (!value.isEmpty() && !value.matches("https?://[^/?#]+(/[^?#]*)?")) {
            errors.add(name + "=" + value + " is not an http or https address");
            return URI.create("");
        }
        return URI.create(value.replaceAll("/+$", ""));
    }

    /** Returns a TCP port; 0 means any free port. */
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
            // Reported below.
        }
        errors.add(name + "=" + value + " is not a whole number from " + min + " to " + max);
        return fallback;
    }

    public boolean flag(String name, boolean fallback) {
        var value = optional(name);
        if (value == null || value.equals("true") || value.equals("false")) {
            return value == null ? fallback : value.equals("true");
        }
        errors.add(name + "=" + value + " is neither true nor false");
        return fallback;
    }

    /** Returns a positive ISO 8601 duration such as PT30S. */
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
            // Reported below.
        }
        errors.add(name + "=" + value + " is not a duration such as PT30S");
        return fallback;
    }

    /** Returns the items of a comma-separated list. */
    public List<String> list(String name, List<String> fallback) {
        var value = optional(name);
        return value == null
                ? fallback
                : java.util.Arrays.stream(value.split(","))
                        .map(String::strip)
                        .filter(s -> !s.isEmpty())
                        .toList();
    }

    public List<String> listOfAllowed(String name, List<String> fallback, List<String> allowed) {
        var items = list(name, fallback);
        for (var item : items) {
            if (!allowed.contains(item)) {
                errors.add(name + " has " + item + ", which is not one of " + String.join(", ", allowed));
            }
        }
        return items;
    }

    /** Returns the name=value lines of a file; empty if the setting is not set. */
    public Map<String, String> propertiesFile(String name) {
        var path = optional(name);
        if (path == null) {
            return Map.of();
        }
        try {
            return properties(name, path);
        } catch (InvalidSettingsException e) {
            errors.addAll(e.errors());
            return Map.of();
        }
    }

    /** Returns the path of a readable file, or null if the setting is not set. */
    public @Nullable String readableFile(String name) {
        var path = optional(name);
        if (path != null && !Files.isReadable(Path.of(path))) {
            addError(name + "=" + path + " cannot be read");
        }
        return path;
    }

    public void addError(String error) {
        errors.add(error);
    }

    /** Throws an exception with all errors, if there are any. */
    public void requireValid() {
        if (!errors.isEmpty()) {
            throw new InvalidSettingsException(List.copyOf(errors));
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

    /** The settings are invalid. The message contains all errors. */
    public static final class InvalidSettingsException extends IllegalArgumentException {
        private final transient List<String> errors;

        InvalidSettingsException(List<String> faults) {
            super(String.join("; ", faults));
            this.errors = faults;
        }

        public List<String> errors() {
            return errors;
        }
    }
}
