package dev.slipway.metering.usage;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class UsageSoakTest {
    private static final int FACTS = Integer.getInteger("slipway.soak.facts", 1_000_000);

    @TempDir
    private Path directory;

    /** Half of the facts in each of two processes. */
    @Test
    void totals_equalAnIndependentSum_whenAProcessIsKilledTenTimes() throws IOException {
        IngestKillScenario.run(directory, FACTS / 2, 1_000, 10);
    }
}
