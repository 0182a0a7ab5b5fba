package dev.slipway.audit.log;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A sample of AuditKillSoakTest. */
class AuditKillTest {
    @TempDir
    private Path directory;

    @Test
    void logs_haveEveryRecordOnce_whenTheServiceIsKilled() {
        try (var scenario = new KillScenario(directory, 5)) {
            scenario.run(2_000, 1);
        }
    }
}
