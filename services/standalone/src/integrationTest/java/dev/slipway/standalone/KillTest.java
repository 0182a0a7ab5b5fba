package dev.slipway.standalone;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

@Order(2)
class KillTest {
    @TempDir
    Path directory;

    @Test
    void launch_isAppliedOnce_whenPlatformIsKilledUnderLoad() {
        KillRounds.run(directory, 2, false);
    }
}
