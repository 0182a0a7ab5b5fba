package dev.slipway.adapter;

import dev.slipway.contract.Ids;
import dev.slipway.settings.Settings;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class AdapterConfigTest {
    private final Map<String, String> env = new HashMap<>(Map.of(
            "SLIPWAY_BASE_URL", "http://127.0.0.1:8080/",
            "SLIPWAY_KAFKA_BOOTSTRAP", "127.0.0.1:9092",
            "SLIPWAY_ADAPTER_ID", Ids.next().toString(),
            "SLIPWAY_ADAPTER_SECRET_FILE", "/run/secrets/adapter"));

    @Test
    void from_readsAllSettings() {
        var settings = new Settings(env);
        var config = AdapterConfig.from(settings, Path.of("journal"), 8);

        settings.requireValid();
        assertThat(config.baseUrl()).hasToString("http://127.0.0.1:8080");
        assertThat(config.secretFile()).isEqualTo(Path.of("/run/secrets/adapter"));
    }

    @Test
    void from_listsAllFaults_whenSettingsAreInvalid() {
        env.put("SLIPWAY_BASE_URL", "slipway.example.com");
        env.put("SLIPWAY_ADAPTER_ID", "seven");
        env.remove("SLIPWAY_KAFKA_BOOTSTRAP");
        env.put("SLIPWAY_KAFKA_CLIENT_FILE", "/does/not/exist");
        var settings = new Settings(env);
        assertThat(AdapterConfig.from(settings, Path.of("journal"), 8)).isNotNull();

        assertThatThrownBy(settings::requireValid)
                .hasMessageContainingAll(
                        "SLIPWAY_BASE_URL", "SLIPWAY_ADAPTER_ID", "SLIPWAY_KAFKA_BOOTSTRAP", "SLIPWAY_KAFKA_CLIENT");
    }
}
