package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class KillSoakTest {
    private static final int ROUNDS = Integer.getInteger("slipway.soak.rounds", 20);

    @TempDir
    Path directory;

    @Test
    void launch_isAppliedOnce_whenPlatformIsKilledRepeatedly() {
        KillRounds.run(directory, ROUNDS, true);
    }
}
