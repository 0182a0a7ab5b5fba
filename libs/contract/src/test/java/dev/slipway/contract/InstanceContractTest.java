package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the operations on app instances with {@code instance-operations.txt}: the parameters, request fields, responses and response
 * fields that they had before shared runtimes were added.
 */
class InstanceContractTest {
    private static final JsonNode DOCUMENT = Contract.load().document();
    private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
    private static final int MAX_DEPTH = 4;

    @Test
    @Proves({"0.01", "0.12"})
    void instanceOperations_onlyGrow_withSharedRuntimes() throws IOException {
        var before = before();
        var now = now();

        assertThat(before).hasSizeGreaterThan(1_000);
        assertThat(now).containsAll(before);
        assertThat(now)
                .filteredOn(line -> line.endsWith(" required") && !line.contains(" response "))
                .filteredOn(line -> before.contains(line.substring(0, line.indexOf(' ', line.indexOf(' ') + 1))))
                .allMatch(before::contains);
    }

    private static Set<String> before() throws IOException {
        var lines = new TreeSet<String>();
        try (var file = InstanceContractTest.class.getResourceAsStream("/instance-operations.txt")) {
            var operation = "";
            for (var line : new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                if (line.startsWith("  ")) {
                    lines.add(operation + " " + line.strip());
                } else {
                    operation = line;
                    lines.add(line);
                }
            }
        }
        return lines;
    }

    private static Set<String> now() {
        var lines = new TreeSet<String>();
        for (var path : DOCUMENT.path("paths").properties()) {
            for (var method : path.getValue().properties()) {
                if (path.getKey().startsWith("/api/v1/projects/{project_id}/app-instances")
                        && METHODS.contains(method.getKey())) {
                    var operation = method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey();
                    lines.add(operation);
                    addParameters(path.getValue().path("parameters"), operation, lines);
                    addParameters(method.getValue().path("parameters"), operation, lines);
                    addContent(resolve(method.getValue().path("requestBody")), operation + " request ", lines);
                    for (var response : method.getValue().path("responses").properties()) {
                        var prefix = operation + " response " + response.getKey();
                        lines.add(prefix);
                        addContent(resolve(response.getValue()), prefix + " ", lines);
                    }
                }
            }
        }
        return lines;
    }

    private static void addParameters(JsonNode parameters, String operation, Set<String> lines) {
        for (var reference : parameters) {
            var parameter = resolve(reference);
            lines.add(operation + " parameter " + parameter.path("in").asText() + " "
                    + parameter.path("name").asText()
                    + (parameter.path("required").asBoolean() ? " required" : ""));
        }
    }

    private static void addContent(JsonNode body, String prefix, Set<String> lines) {
        body.path("content").forEach(content -> addSchema(content.path("schema"), prefix, lines, 0));
    }

    private static void addSchema(JsonNode reference, String prefix, Set<String> lines, int depth) {
        if (depth > MAX_DEPTH) {
            return;
        }
        var schema = resolve(reference);
        schema.path("allOf").forEach(part -> addSchema(part, prefix, lines, depth + 1));
        for (var property : schema.path("properties").properties()) {
            lines.add(prefix + "/" + property.getKey());
            addSchema(property.getValue(), prefix + "/" + property.getKey(), lines, depth + 1);
        }
        schema.path("required").forEach(name -> lines.add(prefix + "/" + name.asText() + " required"));
        if (schema.has("items")) {
            addSchema(schema.path("items"), prefix + "[]", lines, depth + 1);
        }
    }

    private static JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? resolve(DOCUMENT.at(node.path("$ref").asText().substring(1))) : node;
    }
}
