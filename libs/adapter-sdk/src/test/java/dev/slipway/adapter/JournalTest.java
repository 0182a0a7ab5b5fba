package dev.slipway.adapter;

import dev.slipway.contract.Ids;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JournalTest {
    @TempDir
    Path home;

    private final InstanceLog log = InstanceLog.empty(Ids.next())
            .withCommand(SampleCommands.command(SampleCommands.deploy(Ids.next())), List.of());

    private Journal journal;

    private Journal opened() throws IOException {
        journal = new Journal(home.resolve("journal"));
        assertThat(journal.open()).isNotNull();
        return journal;
    }

    @AfterEach
    void close() throws IOException {
        journal.close();
    }

    @Test
    void open_readsLogs_whenATemporaryFileIsLeft() throws Exception {
        opened().write(log);
        journal.close();
        Files.writeString(home.resolve("journal").resolve(Ids.next() + ".json.tmp"), "{\"app_inst");

        journal = new Journal(home.resolve("journal"));

        assertThat(journal.open()).containsExactly(log);
    }

    @Test
    void write_replacesFileReadableByOwnerOnly() throws Exception {
        opened().write(InstanceLog.empty(log.appInstanceId()));
        journal.write(log);

        var file = home.resolve("journal").resolve(log.appInstanceId() + ".json");
        assertThat(InstanceLogJson.read(Files.readAllBytes(file))).isEqualTo(log);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void open_fails_whenJournalIsLocked() throws Exception {
        opened().write(log);

        assertThatThrownBy(() -> new Journal(home.resolve("journal")).open()).hasMessageContaining("another adapter");
    }

    @Test
    void open_namesFile_whenItIsDamaged() throws Exception {
        var damaged = Files.createDirectories(home.resolve("journal")).resolve(Ids.next() + ".json");
        Files.writeString(damaged, "{");
        journal = new Journal(damaged.getParent());

        assertThatThrownBy(journal::open).hasMessageContaining(damaged.toString());
    }

    @Test
    void id_isStable_whenJournalIsReopened() throws Exception {
        var id = opened().id();
        journal.close();

        assertThat(opened().id()).isEqualTo(id).isNotEmpty();
    }

    @Test
    void write_fails_whenJournalIsClosed() throws Exception {
        opened().close();

        assertThatThrownBy(() -> journal.write(log)).hasMessageContaining("closed");
    }
}
