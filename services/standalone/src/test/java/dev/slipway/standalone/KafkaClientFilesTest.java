package dev.slipway.standalone;

import dev.slipway.embedded.BrokerAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class KafkaClientFilesTest {
    @TempDir
    private Path home;

    @Test
    void addAdapter_isKeptForTheNextStart() throws Exception {
        var granted = new ArrayList<BrokerAccess>();
        var files = KafkaClientFiles.open(home, Map.of());
        var before = files.brokerAccess("p.");

        files.addAdapter("nomad", "p.", granted::add);
        files.addAdapter("nomad", "p.", granted::add);
        files.addAdapter("slurm", "p.", granted::add);

        assertThat(granted).singleElement().satisfies(access -> {
            assertThat(access.passwords()).containsOnlyKeys("adapter-nomad");
            assertThat(access.acls())
                    .extracting(acl -> acl.pattern().name())
                    .contains("p.runtime.commands.nomad", "p.runtime.reports", "p.adapter.nomad")
                    .doesNotContain("p.runtime.commands.slurm");
        });
        var reopened = KafkaClientFiles.open(home, Map.of()).brokerAccess("p.");
        assertThat(reopened.passwords())
                .containsAllEntriesOf(before.passwords())
                .containsAllEntriesOf(granted.get(0).passwords());
        assertThat(reopened.acls())
                .containsAll(before.acls())
                .containsAll(granted.get(0).acls());
    }

    @Test
    void inProcessClients_haveLongSessions_unlessConfigured() {
        var files = KafkaClientFiles.open(home, Map.of("client.rack", "r1"));
        var configured = KafkaClientFiles.open(home, Map.of("session.timeout.ms", "4000"));

        assertThat(files.inProcessClients().get("iam"))
                .containsEntry("session.timeout.ms", "45000")
                .containsEntry("heartbeat.interval.ms", "15000")
                .containsEntry("fetch.max.wait.ms", "20000")
                .containsEntry("client.rack", "r1")
                .containsKey("sasl.jaas.config");
        assertThat(KafkaClientFiles.file(home, "adapter-bare_metal")).content().doesNotContain("heartbeat.interval");
        assertThat(configured.inProcessClients().get("iam"))
                .containsEntry("session.timeout.ms", "4000")
                .doesNotContainKey("heartbeat.interval.ms");
    }
}
