package dev.slipway.audit.log;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class AuditKillSoakTest {
    private static final int ENTRIES = Integer.getInteger("slipway.soak.entries", 100_000);
    private static final int ORGANIZATIONS = 50;
    private static final int KILLS = 10;

    @TempDir
    private Path directory;

    @Test
    void logs_haveEveryRecordOnce_whenTheServiceIsKilledTenTimes() {
        try (var scenario = new KillScenario(directory, ORGANIZATIONS)) {
            scenario.run(ENTRIES, KILLS);
        }
    }
}
