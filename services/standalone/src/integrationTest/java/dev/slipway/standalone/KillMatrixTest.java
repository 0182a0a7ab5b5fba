package dev.slipway.standalone;

import dev.slipway.standalone.KillMatrix.Change;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs a random selection of the matrix; the soak test runs all of it. */
@Order(3)
class KillMatrixTest {
    private static final int KILLS = 1;

    @TempDir
    Path directory;

    @Test
    void change_hasAllSteps_andCompletesOnce_whenProcessIsKilled() {
        var seed = System.nanoTime();
        System.out.println("kill matrix: seed " + seed);
        var random = new Random(seed);
        try (var stand = new ProcessCluster(directory)) {
            var matrix = new KillMatrix(stand);
            for (var change : Change.values()) {
                assertThat(matrix.observe(change))
                        .as("the steps of %s: a new one needs its place among them", change)
                        .containsExactlyInAnyOrderElementsOf(change.steps());
            }
            var points = new ArrayList<>(KillMatrix.points());
            Collections.shuffle(points, random);
            points.subList(0, KILLS).forEach(matrix::kill);
        }
    }
}
