package dev.slipway.processadapter;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * Resource limits of one process. The launching shell sets them on itself before exec, so that child processes inherit them. If a limit
 * cannot be set, the process exits.
 *
 * @param addressSpaceMib address space of each process ({@code ulimit -v})
 * @param openFiles open files of each process ({@code ulimit -n})
 * @param niceness scheduling priority ({@code nice -n})
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProcessLimits(
        @Nullable Integer addressSpaceMib,
        @Nullable Integer openFiles,
        @Nullable Integer niceness) {
    static final ProcessLimits NONE = new ProcessLimits(null, null, null);

    /** Throws {@link IllegalArgumentException} if the value is invalid. */
    static ProcessLimits of(JsonNode json) {
        return new ProcessLimits(
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

    /** Returns the last part of the launch script, which replaces the shell by the app. */
    String launchScript() {
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
}
