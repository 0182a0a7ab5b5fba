package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A command line from the adapter's configuration. A manifest refers to a profile and cannot contain a command line itself.
 *
 * @param command the command line, with the placeholders {port_file} and {dir}
 * @param components command lines of individual components, by component key
 * @param operations HTTP paths of declared operations, by operation name
 * @param operationComponent the component whose processes receive operations; null for any
 */
public record LaunchProfile(
        List<String> command,
        Map<String, List<String>> components,
        ProcessLimits limits,
        Map<String, String> operations,
        @Nullable String operationComponent) {
    public LaunchProfile {
        command = List.copyOf(command);
        components = Map.copyOf(components);
        operations = Map.copyOf(operations);
    }

    static LaunchProfile of(List<String> command) {
        return new LaunchProfile(command, Map.of(), ProcessLimits.NONE, Map.of(), null);
    }

    /**
     * Reads a command line, or {@code {"command": [words], "components": {key: [words]}, "limits": {…}, "operations": {name: path},
     * "operation_component": key}}.
     * Throws
     * {@link IllegalArgumentException} if the value is invalid.
     */
    static LaunchProfile of(JsonNode json) {
        if (json.isArray()) {
            return of(parseCommandLine(json));
        }
        var components = new HashMap<String, List<String>>();
        json.path("components")
                .properties()
                .forEach(component -> components.put(component.getKey(), parseCommandLine(component.getValue())));
        var operations = new HashMap<String, String>();
        for (var operation : json.path("operations").properties()) {
            if (!operation.getValue().asText().startsWith("/")) {
                throw new IllegalArgumentException(
                        "the path of operation " + operation.getKey() + " does not start with /");
            }
            operations.put(operation.getKey(), operation.getValue().asText());
        }
        return new LaunchProfile(
                parseCommandLine(json.path("command")),
                components,
                ProcessLimits.of(json.path("limits")),
                operations,
                json.path("operation_component").textValue());
    }

    private static List<String> parseCommandLine(JsonNode json) {
        var words = new ArrayList<String>();
        json.forEach(word -> words.add(word.asText()));
        if (words.isEmpty()) {
            throw new IllegalArgumentException("the command is empty");
        }
        return words;
    }

    List<String> command(String component) {
        return components.getOrDefault(component, command);
    }

    /** Returns whether processes of the component receive operations. */
    boolean receivesOperations(String component) {
        return operationComponent == null || operationComponent.equals(component);
    }

    @Nullable
    String operationPath(String operation) {
        return operations.get(operation);
    }
}
