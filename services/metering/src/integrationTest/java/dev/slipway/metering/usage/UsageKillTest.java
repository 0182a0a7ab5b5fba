package dev.slipway.metering.usage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class UsageKillTest {
    @TempDir
    private Path directory;

    @Test
    void totals_equalAnIndependentSum_whenAProcessIsKilled() throws IOException {
        IngestKillScenario.run(directory, 4_000, 200, 2);
    }
}
