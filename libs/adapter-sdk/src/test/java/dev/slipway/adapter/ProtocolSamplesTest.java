package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** The sample records of the adapter protocol are valid, and there is one of every message. */
class ProtocolSamplesTest {
    private static final EventSchemas SCHEMAS = EventSchemas.load();

    @Test
    void samples_areValid() throws IOException {
        for (var sample : samples()) {
            var value = sample.path("value");
            assertThat(SCHEMAS.validate(value)).as(value.toString()).isEmpty();
            var payload = value.path("payload");
            var subject = payload.path("app_instance_id")
                    .asText(payload.path("shared_runtime_id")
                            .asText(payload.path("adapter_id").asText()));
            assertThat(sample.path("key").asText()).isEqualTo(subject);
        }
    }

    @Test
    void samples_existForEveryMessage() throws IOException {
        var expected = list(Path.of("../../schemas/events"), "runtime.").stream()
                .map(file -> file.getFileName().toString().replaceFirst("\\.v\\d+\\.json$", ""))
                .collect(Collectors.toSet());
        assertThat(samples())
                .extracting(sample -> sample.at("/value/event_type").asText())
                .containsAll(expected);
    }

    private static List<JsonNode> samples() throws IOException {
        return list(Path.of("../../docs/samples"), "").stream()
                .map(ProtocolSamplesTest::read)
                .toList();
    }

    private static List<Path> list(Path directory, String prefix) throws IOException {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    private static JsonNode read(Path file) {
        try {
            return Json.parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
