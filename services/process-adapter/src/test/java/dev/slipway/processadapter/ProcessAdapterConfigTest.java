package dev.slipway.processadapter;

import dev.slipway.contract.Ids;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ProcessAdapterConfigTest {
    @TempDir
    Path home;

    private final Map<String, String> env = new HashMap<>(Map.of(
            "SLIPWAY_BASE_URL", "http://127.0.0.1:8080",
            "SLIPWAY_KAFKA_BOOTSTRAP", "127.0.0.1:9092",
            "SLIPWAY_ADAPTER_ID", Ids.next().toString(),
            "SLIPWAY_ADAPTER_SECRET_FILE", "/run/secrets/adapter",
            "SLIPWAY_PROCESS_ADAPTER_HOME", "/var/lib/slipway"));

    @Test
    void from_returnsEchoProfileAndDefaults() {
        var config = ProcessAdapterConfig.from(env);

        assertThat(config.profiles()).containsOnlyKeys("echo", "echo-cluster");
        assertThat(config.maxChildren()).isEqualTo(50);
        assertThat(config.adapter().journalDir()).isEqualTo(Path.of("/var/lib/slipway/journal"));
    }

    @Test
    void from_readsProfilesFile() throws Exception {
        var file = Files.writeString(home.resolve("profiles.json"), "{\"web\": [\"web-server\", \"{port_file}\"]}");
        env.put("SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE", file.toString());

        assertThat(ProcessAdapterConfig.from(env).profiles().get("web").command("any"))
                .containsExactly("web-server", "{port_file}");
    }

    @Test
    void from_readsLimitsAndOperationsOfProfile() throws Exception {
        var file = Files.writeString(home.resolve("profiles.json"), """
                {"web": {"command": ["web-server"], "components": {"worker": ["work"]},
                         "limits": {"address_space_mib": 512, "open_files": 64, "niceness": 10},
                         "operations": {"web.flush": "/flush"}}}
                """);
        env.put("SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE", file.toString());

        var web = ProcessAdapterConfig.from(env).profiles().get("web");

        assertThat(web.command("worker")).containsExactly("work");
        assertThat(web.command("server")).containsExactly("web-server");
        assertThat(web.limits()).isEqualTo(new ProcessLimits(512, 64, 10));
        assertThat(web.operationPath("web.flush")).isEqualTo("/flush");
        assertThat(web.operationPath("web.other")).isNull();
    }

    @Test
    void from_listsAllFaults_whenSettingsAreInvalid() throws Exception {
        var file = Files.writeString(
                home.resolve("profiles.json"),
                "{\"web\": [], \"db\": {\"command\": [\"db\"], \"limits\": {\"niceness\": -5}}}");
        env.put("SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE", file.toString());
        env.put("SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN", "many");
        env.remove("SLIPWAY_ADAPTER_ID");
        env.remove("SLIPWAY_PROCESS_ADAPTER_HOME");

        assertThatThrownBy(() -> ProcessAdapterConfig.from(env))
                .hasMessageContainingAll(
                        "SLIPWAY_PROCESS_ADAPTER_PROFILES_FILE",
                        "invalid profile web: the command is empty",
                        "invalid profile db: niceness",
                        "SLIPWAY_PROCESS_ADAPTER_MAX_CHILDREN",
                        "SLIPWAY_ADAPTER_ID",
                        "SLIPWAY_PROCESS_ADAPTER_HOME");
    }
}
