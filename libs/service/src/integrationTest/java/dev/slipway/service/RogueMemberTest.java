package dev.slipway.service;

import com.hazelcast.config.Config;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.slipway.settings.Settings;
import dev.slipway.settings.Settings.InvalidSettingsException;
import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Attacks a member of the cluster, in its own process, with a member that knows the name of the cluster. */
class RogueMemberTest {
    @TempDir
    Path directory;

    /** Runs where it is deserialized, if the receiver allows its class. */
    record Payload(String file) implements Callable<Boolean>, Serializable {
        @Override
        public Boolean call() throws IOException {
            return Files.exists(Files.createFile(Path.of(file)));
        }
    }

    @Test
    void member_deserializesNoClassesOfOthers() {
        var ports = FreePorts.find(2);
        var name = "rogue-" + ports.get(0);
        var created = directory.resolve("created-by-the-rogue-member");
        try (var victim = new ChildProcess(
                directory,
                Map.of(),
                System.getProperty("java.class.path"),
                BusMemberMain.class.getName(),
                name,
                String.valueOf(ports.get(0)),
                String.valueOf(ports.get(1)))) {
            eventually(() -> assertThat(victim.output()).contains("joined"));
            var rogue = join(name, ports);
            try {
                eventually(() -> assertThat(rogue.getCluster().getMembers()).hasSize(2));
                var target = rogue.getCluster().getMembers().stream()
                        .filter(member -> !member.localMember())
                        .findFirst()
                        .orElseThrow();

                var sent = rogue.getExecutorService("any").submitToMember(new Payload(created.toString()), target);

                assertThatThrownBy(() -> sent.get(60, TimeUnit.SECONDS)).hasStackTraceContaining("Payload");
                assertThat(created).doesNotExist();
                assertThat(victim.isAlive()).isTrue();
            } finally {
                rogue.shutdown();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.1.2.3", "bus.invalid"})
    void bus_isRefused_onAddressOfOthers_withoutMutualTls(String host) {
        var settings = new Settings(Map.of("SLIPWAY_CLUSTER", "10.1.2.4:5701", "SLIPWAY_CLUSTER_HOST", host));
        var ignored = ClusterSettings.from(settings);

        assertThatThrownBy(settings::requireValid)
                .isInstanceOfSatisfying(InvalidSettingsException.class, e -> assertThat(e.errors())
                        .singleElement()
                        .asString()
                        .contains("SLIPWAY_CLUSTER_HOST=" + host, "SLIPWAY_CLUSTER_CERTIFICATE_FILE"));
        assertThat(ignored).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "::1"})
    void bus_isAllowed_onLoopback_withoutTls(String host) {
        var settings = new Settings(Map.of("SLIPWAY_CLUSTER", "127.0.0.1:5701", "SLIPWAY_CLUSTER_HOST", host));

        assertThat(ClusterSettings.from(settings)).isNotNull();
        settings.requireValid();
    }

    private static HazelcastInstance join(String name, List<Integer> ports) {
        var config = new Config().setClusterName(name);
        config.setProperty("hazelcast.phone.home.enabled", "false");
        var endpoint = new ServerSocketEndpointConfig();
        endpoint.setPort(ports.get(1)).setPortAutoIncrement(false).setPublicAddress("127.0.0.1:" + ports.get(1));
        var network = config.getAdvancedNetworkConfig().setEnabled(true).setMemberEndpointConfig(endpoint);
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getJoin().getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + ports.get(0));
        return Hazelcast.newHazelcastInstance(config);
    }
}
