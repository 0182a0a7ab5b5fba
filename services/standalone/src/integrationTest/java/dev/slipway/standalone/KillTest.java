package dev.slipway.standalone;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Kills once; the soak test kills many times, also while the platform starts. */
@Order(2)
class KillTest {
    @TempDir
    Path directory;

    @Test
    void launch_isAppliedOnce_whenPlatformIsKilledUnderLoad() {
        KillRounds.run(directory, 1, false);
    }
}
