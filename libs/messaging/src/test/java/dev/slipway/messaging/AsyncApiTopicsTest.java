package dev.slipway.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The topics that are made are the channels that the event contract tells of, and keep their records as it says. */
class AsyncApiTopicsTest {
    private static final Path DOCUMENT = Path.of("../../schemas/asyncapi/slipway.yaml");
    private static final KafkaSettings USUAL = new KafkaSettings("-", "", 12, (short) 1, Map.of());

    private record Kept(int partitions, String policy, String retentionMs, String timestamps) {}

    @Test
    void topics_areTheContractsChannels() throws IOException {
        Object loaded = new Yaml().load(Files.readString(DOCUMENT));
        JsonNode document = new ObjectMapper().valueToTree(loaded);
        var channels = new TreeMap<String, Kept>();
        for (var channel : document.path("channels")) {
            var kept = kept(channel.at("/bindings/kafka"));
            var address = channel.path("address").asText();
            if (!channel.has("parameters")) {
                channels.put(address, kept);
            }
            channel.path("parameters").properties().forEach(parameter -> parameter
                    .getValue()
                    .path("enum")
                    .forEach(value ->
                            channels.put(address.replace("{" + parameter.getKey() + "}", value.asText()), kept)));
        }

        var made = Topics.all(USUAL).stream()
                .collect(Collectors.toMap(NewTopic::name, AsyncApiTopicsTest::kept, (a, b) -> a, TreeMap::new));

        assertThat(made).isEqualTo(channels);
    }

    private static Kept kept(JsonNode binding) {
        var config = binding.path("topicConfiguration");
        return new Kept(
                binding.path("partitions").asInt(),
                config.path("cleanup.policy").path(0).asText(),
                config.path("retention.ms").asText(""),
                config.path("message.timestamp.type").asText("CreateTime"));
    }

    private static Kept kept(NewTopic topic) {
        var config = topic.configs();
        return new Kept(
                topic.numPartitions(),
                config.getOrDefault("cleanup.policy", "delete"),
                config.getOrDefault("retention.ms", ""),
                config.getOrDefault("message.timestamp.type", "CreateTime"));
    }
}
