package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

/**
 * What one process may use. The shell that becomes the app sets it on itself, so that all that the app starts has it too; a limit that
 * cannot be set ends the process instead.
 *
 * @param addressSpaceMib of each process ({@code ulimit -v})
 * @param openFiles of each process ({@code ulimit -n})
 * @param niceness how far it steps back for others when the processor is busy ({@code nice -n})
 */
public record Limits(
        @Nullable Integer addressSpaceMib,
        @Nullable Integer openFiles,
        @Nullable Integer niceness) {
    static final Limits NONE = new Limits(null, null, null);

    /** Throws {@link IllegalArgumentException} with what is wrong. */
    static Limits of(JsonNode json) {
        return new Limits(
                number(json, "address_space_mib", 1, 1 << 20),
                number(json, "open_files", 16, 1 << 20),
                number(json, "niceness", 0, 19));
    }

    private static @Nullable Integer number(JsonNode json, String name, int min, int max) {
        var value = json.path(name);
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isInt() || value.intValue() < min || value.intValue() > max) {
            throw new IllegalArgumentException(name + " is not a number from " + min + " to " + max);
        }
        return value.intValue();
    }

    /** The end of the script that launches: from here on it is the app. */
    String script() {
        var script = new StringBuilder("ulimit -c 0\n");
        if (addressSpaceMib != null) {
            script.append("ulimit -v ").append(addressSpaceMib * 1024L).append(" || exit 74\n");
        }
        if (openFiles != null) {
            script.append("ulimit -n ").append(openFiles).append(" || exit 74\n");
        }
        return script.append(niceness == null ? "exec \"$@\"\n" : "exec nice -n " + niceness + " \"$@\"\n")
                .toString();
    }

    ObjectNode toJson() {
        var json = Json.object();
        if (addressSpaceMib != null) {
            json.put("address_space_mib", addressSpaceMib);
        }
        if (openFiles != null) {
            json.put("open_files", openFiles);
        }
        if (niceness != null) {
            json.put("niceness", niceness);
        }
        return json.put("enforced_by", "rlimits and niceness, per process");
    }
}
