package dev.slipway.embedded;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DataDirectoryTest {
    @TempDir
    Path temporary;

    @Test
    void open_createsDirectory_whenMissing() {
        try (var directory = DataDirectory.open(temporary.resolve("a/b"))) {
            assertThat(directory.path()).isDirectory().endsWith(Path.of("a/b"));
        }
    }

    @Test
    void open_fails_whenAlreadyOpen() {
        try (var first = DataDirectory.open(temporary)) {
            assertThatThrownBy(() -> DataDirectory.open(temporary))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessage("the data directory " + first.path()
                            + " is in use by another process; stop it, or choose another directory");
        }
    }

    @Test
    void open_succeeds_whenPreviousHasClosed() {
        DataDirectory.open(temporary).close();

        try (var second = DataDirectory.open(temporary)) {
            assertThat(second.path()).isDirectory();
        }
    }

    @Test
    void open_fails_whenNotWritable() {
        assertThatThrownBy(() -> DataDirectory.open(Path.of("/proc/slipway")))
                .isInstanceOf(EmbeddedException.class)
                .hasMessageStartingWith("the data directory /proc/slipway is not writable by user ");
    }

    @Test
    void open_fails_whenFile() throws IOException {
        var file = Files.createFile(temporary.resolve("file"));

        assertThatThrownBy(() -> DataDirectory.open(file))
                .isInstanceOf(EmbeddedException.class)
                .hasMessage("the data directory " + file + " is not a directory");
    }
}
