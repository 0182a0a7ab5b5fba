package dev.slipway.standalone;

import dev.slipway.standalone.KillMatrix.Deed;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Some points of the matrix, others every time; the soak test has them all. */
@Order(3)
class KillMatrixTest {
    private static final int KILLS = 1;

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
            var points = new ArrayList<>(KillMatrix.points());
            Collections.shuffle(points, random);
            points.subList(0, KILLS).forEach(matrix::kill);
        }
    }
}
