package dev.slipway.standalone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class KillMatrixSoakTest {
    @TempDir
    Path directory;

    @Test
    void everyDeed_endsOnce_whoeverIsKilledAtWhicheverStep() {
        try (var stand = new Stand(directory)) {
            var matrix = new KillMatrix(stand);
            KillMatrix.points().forEach(matrix::kill);
        }
    }
}
