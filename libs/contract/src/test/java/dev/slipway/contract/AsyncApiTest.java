package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares schemas/asyncapi/slipway.yaml with schemas/events. */
class AsyncApiTest {
    private static final Path SCHEMAS = Path.of("../../schemas");
    private static final Path DOCUMENT = SCHEMAS.resolve("asyncapi/slipway.yaml");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode document = yaml(DOCUMENT);
    private final Map<String, JsonNode> events = events();

    @Test
    void messages_matchTheEventSchemas() {
        var referred = new TreeMap<String, String>();
        document.at("/components/messages").properties().forEach(message -> {
            var payload = message.getValue().at("/payload/allOf/1/properties");
            var version = payload.at("/version/const").asInt();
            var schema = schemaOf(message.getKey());
            assertThat(payload.at("/event_type/const").asText() + ".v" + version)
                    .as("the event_type and version of the message %s", message.getKey())
                    .isEqualTo(schema);
            assertThat(payload.at("/payload/$ref").asText())
                    .as("the payload of the message %s", message.getKey())
                    .isEqualTo("../events/" + schema + ".json");
            assertThat(message.getValue().at("/payload/allOf/0/$ref").asText())
                    .as("the envelope of the message %s", message.getKey())
                    .isEqualTo("../events/envelope.json");
            referred.put(schema, message.getKey());
        });
        assertThat(referred.keySet())
                .as("a new event needs a message in %s, and a place in its channel", DOCUMENT)
                .isEqualTo(events.keySet());
    }

    @Test
    void messages_belongToTheChannelOfTheirTopic() {
        var topics = new TreeMap<String, String>();
        for (var channel : document.path("channels")) {
            for (var message : channel.path("messages")) {
                var ref = message.path("$ref").asText();
                if (!ref.isEmpty()) {
                    var type = schemaOf(ref.substring(ref.lastIndexOf('/') + 1));
                    assertThat(topics.put(type, channel.path("address").asText()))
                            .as("another channel of %s", type)
                            .isNull();
                }
            }
        }
        var expected = new TreeMap<String, String>();
        events.forEach((type, schema) ->
                expected.put(type, schema.path("x-slipway-topic").asText()));
        assertThat(topics).isEqualTo(expected);
    }

    @Test
    void references_resolve() {
        assertThat(document.findValuesAsText("$ref")).isNotEmpty().allSatisfy(ref -> {
            var file = ref.substring(0, ref.indexOf('#') < 0 ? ref.length() : ref.indexOf('#'));
            var target = file.isEmpty() ? document : json(DOCUMENT.resolveSibling(file));
            var pointer = ref.substring(file.length()).replaceFirst("^#", "");
            assertThat(target.at(pointer).isMissingNode()).as(ref).isFalse();
        });
    }

    @Test
    void authorizationHeader_isDeclaredForReportsOnly() {
        document.at("/components/messages").properties().forEach(message -> {
            var carries = message.getValue().path("traits").findValuesAsText("$ref").stream()
                    .map(ref -> document.at(ref.substring(1)))
                    .anyMatch(trait -> trait.at("/headers/properties").has("authorization"));
            assertThat(carries)
                    .as(message.getKey())
                    .isEqualTo(Set.of("runtime.reports", "usage.facts")
                            .contains(events.get(schemaOf(message.getKey()))
                                    .path("x-slipway-topic")
                                    .asText()));
        });
    }

    /** The first version of an event has a message name without suffix. */
    private static String schemaOf(String message) {
        return message.matches(".*\\.v[0-9]+") ? message : message + ".v1";
    }

    private static Map<String, JsonNode> events() {
        var found = new TreeMap<String, JsonNode>();
        try (var files = Files.list(SCHEMAS.resolve("events"))) {
            files.filter(file -> !file.endsWith("envelope.json"))
                    .forEach(file -> found.put(file.getFileName().toString().replaceFirst("\\.json$", ""), json(file)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return found;
    }

    private static JsonNode json(Path file) {
        try {
            return JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static JsonNode yaml(Path file) {
        try {
            Object loaded = new Yaml().load(Files.readString(file));
            return JSON.valueToTree(loaded);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
