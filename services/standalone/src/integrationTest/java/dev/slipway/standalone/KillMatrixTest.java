package dev.slipway.standalone;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs a random selection of the matrix; the soak test runs all of it. */
@Order(3)
class KillMatrixTest {
    @TempDir
    Path directory;

    @Test
    void change_hasAllSteps_andCompletesOnce_whenProcessIsKilled() {
        var seed = System.nanoTime();
        System.out.println("kill matrix: seed " + seed);
        var random = new Random(seed);
        try (var processCluster = new ProcessCluster(directory)) {
            var matrix = new KillMatrix(processCluster);
            for (var changes : List.of(InstanceMatrixChange.values(), SharedRuntimeMatrixChange.values())) {
                for (var change : changes) {
                    assertThat(matrix.observe(change))
                            .as("the steps of %s: a new one needs its place among them", change)
                            .containsExactlyInAnyOrderElementsOf(change.steps());
                }
            }
            for (var changes : List.of(InstanceMatrixChange.values(), SharedRuntimeMatrixChange.values())) {
                var points = KillMatrix.points(changes);
                matrix.kill(points.get(random.nextInt(points.size())));
            }
        }
    }
}
