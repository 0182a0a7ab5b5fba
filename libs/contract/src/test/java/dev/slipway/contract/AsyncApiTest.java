package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** schemas/asyncapi/slipway.yaml and schemas/events tell of the same events. */
class AsyncApiTest {
    private static final Path SCHEMAS = Path.of("../../schemas");
    private static final Path DOCUMENT = SCHEMAS.resolve("asyncapi/slipway.yaml");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode document = yaml(DOCUMENT);
    private final Map<String, JsonNode> events = events();

    @Test
    void everySchema_hasItsMessage_andEveryMessageItsSchema() {
        var referred = new TreeMap<String, String>();
        document.at("/components/messages").properties().forEach(message -> {
            var payload = message.getValue().at("/payload/allOf/1/properties");
            var version = payload.at("/version/const").asInt();
            assertThat(payload.at("/event_type/const").asText())
                    .as("the event_type of the message %s", message.getKey())
                    .isEqualTo(message.getKey());
            assertThat(payload.at("/payload/$ref").asText())
                    .as("the payload of the message %s", message.getKey())
                    .isEqualTo("../events/" + message.getKey() + ".v" + version + ".json");
            assertThat(message.getValue().at("/payload/allOf/0/$ref").asText())
                    .as("the envelope of the message %s", message.getKey())
                    .isEqualTo("../events/envelope.json");
            referred.put(message.getKey() + ".v" + version, message.getKey());
        });
        assertThat(referred.keySet())
                .as("a new event needs a message in %s, and a place in its channel", DOCUMENT)
                .isEqualTo(events.keySet());
    }

    @Test
    void everyMessage_isInOneChannel_thatOfItsSchemasTopic() {
        var topics = new TreeMap<String, String>();
        for (var channel : document.path("channels")) {
            for (var message : channel.path("messages")) {
                var ref = message.path("$ref").asText();
                if (!ref.isEmpty()) {
                    var type = ref.substring(ref.lastIndexOf('/') + 1) + ".v1";
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
    void everyReference_resolves() {
        assertThat(document.findValuesAsText("$ref")).isNotEmpty().allSatisfy(ref -> {
            var file = ref.substring(0, ref.indexOf('#') < 0 ? ref.length() : ref.indexOf('#'));
            var target = file.isEmpty() ? document : json(DOCUMENT.resolveSibling(file));
            var pointer = ref.substring(file.length()).replaceFirst("^#", "");
            assertThat(target.at(pointer).isMissingNode()).as(ref).isFalse();
        });
    }

    @Test
    void authorization_isAHeaderOfReports_andOfNothingElse() {
        document.at("/components/messages").properties().forEach(message -> {
            var carries = message.getValue().path("traits").findValuesAsText("$ref").stream()
                    .map(ref -> document.at(ref.substring(1)))
                    .anyMatch(trait -> trait.at("/headers/properties").has("authorization"));
            assertThat(carries)
                    .as(message.getKey())
                    .isEqualTo(events.get(message.getKey() + ".v1")
                            .path("x-slipway-topic")
                            .asText()
                            .equals("runtime.reports"));
        });
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
