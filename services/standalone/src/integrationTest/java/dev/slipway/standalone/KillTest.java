package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class KillTest {
    @TempDir
    Path directory;

    @Test
    void everythingAccepted_isThereOnce_whenThePlatformIsKilledUnderLoad() {
        KillRounds.run(directory, 2, false);
    }
}
