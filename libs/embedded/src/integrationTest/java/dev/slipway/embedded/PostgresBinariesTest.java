package dev.slipway.embedded;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class PostgresBinariesTest {
    private static final ServerAccount CURRENT_USER = new ServerAccount(0, 0, false, false);

    @TempDir
    Path directory;

    @Test
    void unpack_runsOnce_andAgainWhenIncomplete() throws Exception {
        // Given
        var first = CompletableFuture.supplyAsync(() -> PostgresBinaries.unpack(List.of(directory), CURRENT_USER));
        var second = CompletableFuture.supplyAsync(() -> PostgresBinaries.unpack(List.of(directory), CURRENT_USER));
        var home = first.get(60, TimeUnit.SECONDS);
        assertThat(second.get(60, TimeUnit.SECONDS)).isEqualTo(home);
        var server = home.resolve("bin/postgres");
        var unpackedAt = Files.getLastModifiedTime(server);

        // When
        assertThat(PostgresBinaries.unpack(List.of(directory), CURRENT_USER)).isEqualTo(home);

        // Then
        assertThat(Files.getLastModifiedTime(server)).isEqualTo(unpackedAt);
        Files.delete(server);
        assertThat(PostgresBinaries.unpack(List.of(directory), CURRENT_USER)).isEqualTo(home);
        assertThat(server).isExecutable();
    }
}
