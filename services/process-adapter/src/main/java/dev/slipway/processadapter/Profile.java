package dev.slipway.processadapter;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What may be launched, as the adapter's own configuration says: a manifest names a profile and cannot bring a command line.
 *
 * @param command the words of the command line, where {port_file} and {dir} are filled in
 * @param components other words for some components, by the manifest's keys
 * @param operations where declared operations are posted to, by name: a path of the process
 */
public record Profile(
        List<String> command, Map<String, List<String>> components, Limits limits, Map<String, String> operations) {
    public Profile {
        command = List.copyOf(command);
        components = Map.copyOf(components);
        operations = Map.copyOf(operations);
    }

    static Profile of(List<String> command) {
        return new Profile(command, Map.of(), Limits.NONE, Map.of());
    }

    /**
     * From words, or from {@code {"command": [words], "components": {key: [words]}, "limits": {…}, "operations": {name: path}}}. Throws
     * {@link IllegalArgumentException} with what is wrong.
     */
    static Profile of(JsonNode json) {
        if (json.isArray()) {
            return of(words(json));
        }
        var components = new HashMap<String, List<String>>();
        json.path("components")
                .properties()
                .forEach(component -> components.put(component.getKey(), words(component.getValue())));
        var operations = new HashMap<String, String>();
        for (var operation : json.path("operations").properties()) {
            if (!operation.getValue().asText().startsWith("/")) {
                throw new IllegalArgumentException("the operation " + operation.getKey() + " is not a path");
            }
            operations.put(operation.getKey(), operation.getValue().asText());
        }
        return new Profile(words(json.path("command")), components, Limits.of(json.path("limits")), operations);
    }

    private static List<String> words(JsonNode json) {
        var words = new ArrayList<String>();
        json.forEach(word -> words.add(word.asText()));
        if (words.isEmpty()) {
            throw new IllegalArgumentException("there are no words to launch");
        }
        return words;
    }

    List<String> command(String component) {
        return components.getOrDefault(component, command);
    }

    @Nullable
    String path(String operation) {
        return operations.get(operation);
    }
}
