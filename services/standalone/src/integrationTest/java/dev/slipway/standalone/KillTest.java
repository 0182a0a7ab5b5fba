package dev.slipway.standalone;

import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

@Order(2)
class KillTest {
    @TempDir
    Path directory;

    @Test
    @Proves("1.14") // an event missing or surplus after a kill would have left its change's transaction
    void everythingAccepted_isThereOnce_whenThePlatformIsKilledUnderLoad() {
        KillRounds.run(directory, 2, false);
    }
}
