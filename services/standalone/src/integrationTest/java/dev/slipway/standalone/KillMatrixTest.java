package dev.slipway.standalone;

import dev.slipway.standalone.KillMatrix.Deed;
import dev.slipway.standalone.Stand.Victim;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Some points of the matrix, others every time; the soak test has them all. */
class KillMatrixTest {
    @TempDir
    Path directory;

    @Test
    void everyDeed_hasAPointAtEveryStep_andEndsOnce_whoeverIsKilled() {
        var seed = System.nanoTime();
        System.out.println("kill matrix: seed " + seed);
        var random = new Random(seed);
        try (var stand = new Stand(directory)) {
            var matrix = new KillMatrix(stand);
            for (var deed : Deed.values()) {
                assertThat(matrix.observed(deed))
                        .as("the steps of %s: a new one needs its place among them", deed)
                        .containsExactlyInAnyOrderElementsOf(deed.steps());
            }
            for (var victim : Victim.values()) {
                var ofVictim = KillMatrix.points().stream()
                        .filter(point -> point.victim() == victim)
                        .toList();
                matrix.kill(ofVictim.get(random.nextInt(ofVictim.size())));
            }
        }
    }
}
