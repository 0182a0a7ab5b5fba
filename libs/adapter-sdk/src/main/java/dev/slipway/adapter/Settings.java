package dev.slipway.adapter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** Reads an adapter's settings and remembers every fault, so that one start reports them all. */
public final class Settings {
    private static final UUID NONE = new UUID(0, 0);

    private final Map<String, String> values;
    private final List<String> faults = new ArrayList<>();

    public Settings(Map<String, String> values) {
        this.values = values;
    }

    public @Nullable String optional(String name) {
        var value = values.get(name);
        return value == null || value.isBlank() ? null : value.strip();
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

    public UUID id(String name, String purpose) {
        var value = required(name, purpose);
        try {
            return value.isEmpty() ? NONE : UUID.fromString(value);
        } catch (IllegalArgumentException e) {
            faults.add(name + "=" + value + " is not a UUID");
            return NONE;
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

    /** The name=value lines of a file; none when the setting is absent. */
    public Map<String, String> file(String name) {
        var path = optional(name);
        if (path == null) {
            return Map.of();
        }
        var properties = new Properties();
        try {
            properties.load(new StringReader(Files.readString(Path.of(path))));
        } catch (IOException | IllegalArgumentException e) {
            faults.add(name + "=" + path + " cannot be read: " + e);
        }
        var lines = new HashMap<String, String>();
        properties.forEach((key, value) -> lines.put(String.valueOf(key), String.valueOf(value)));
        return lines;
    }

    public void fault(String sentence) {
        faults.add(sentence);
    }

    /** Throws if anything was wrong, with a message that says all of it. */
    public void check() {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
    }
}
