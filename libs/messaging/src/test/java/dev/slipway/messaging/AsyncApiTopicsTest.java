package dev.slipway.messaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the topics and their configuration with the channels of the AsyncAPI document. */
class AsyncApiTopicsTest {
    private static final Path DOCUMENT = Path.of("../../schemas/asyncapi/slipway.yaml");
    private static final KafkaSettings SETTINGS = new KafkaSettings("-", "", 12, (short) 1, Map.of());

    private record TopicConfig(
            int partitions, String policy, String retentionMs, String timestamps, String compression) {}

    @Test
    void topics_matchChannelsOfContract() throws IOException {
        Object loaded = new Yaml().load(Files.readString(DOCUMENT));
        JsonNode document = new ObjectMapper().valueToTree(loaded);
        var channels = new TreeMap<String, TopicConfig>();
        for (var channel : document.path("channels")) {
            var topicConfig = topicConfig(channel.at("/bindings/kafka"));
            var address = channel.path("address").asText();
            if (!channel.has("parameters")) {
                channels.put(address, topicConfig);
            }
            channel.path("parameters").properties().forEach(parameter -> values(parameter)
                    .forEach(value ->
                            channels.put(address.replace("{" + parameter.getKey() + "}", value), topicConfig)));
        }

        var created = Topics.all(SETTINGS).stream()
                .collect(Collectors.toMap(NewTopic::name, AsyncApiTopicsTest::topicConfig, (a, b) -> a, TreeMap::new));

        assertThat(created).isEqualTo(channels);
    }

    /** The values of a parameter at the first start; runtime backends are open. */
    private static List<String> values(Map.Entry<String, JsonNode> parameter) {
        if (parameter.getKey().equals("runtime_backend")) {
            return Topics.RUNTIME_BACKENDS;
        }
        var values = new ArrayList<String>();
        parameter.getValue().path("enum").forEach(value -> values.add(value.asText()));
        return values;
    }

    private static TopicConfig topicConfig(JsonNode binding) {
        var config = binding.path("topicConfiguration");
        return new TopicConfig(
                binding.path("partitions").asInt(),
                config.path("cleanup.policy").path(0).asText(),
                config.path("retention.ms").asText(""),
                config.path("message.timestamp.type").asText("CreateTime"),
                config.path("compression.type").asText("producer"));
    }

    private static TopicConfig topicConfig(NewTopic topic) {
        var config = topic.configs();
        return new TopicConfig(
                topic.numPartitions(),
                config.getOrDefault("cleanup.policy", "delete"),
                config.getOrDefault("retention.ms", ""),
                config.getOrDefault("message.timestamp.type", "CreateTime"),
                config.getOrDefault("compression.type", "producer"));
    }
}
