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
}
