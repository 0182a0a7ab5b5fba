package dev.slipway.standalone;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** Runs every kill point, or those that match: {@code -Dslipway.soak.points='CREATE.*KAFKA'}. */
class KillMatrixSoakTest {
    private static final Pattern POINTS = Pattern.compile(System.getProperty("slipway.soak.points", ""));

    @TempDir
    static Path directory;

    private static ProcessCluster processCluster;

    @BeforeAll
    static void start() {
        processCluster = new ProcessCluster(directory);
    }

    @AfterAll
    static void stop() {
        processCluster.close();
    }

    @TestFactory
    Stream<DynamicTest> change_completesOnce_whenProcessIsKilledAtAnyStep() {
        var matrix = new KillMatrix(processCluster);
        return Stream.concat(
                        KillMatrix.points(InstanceMatrixChange.values()).stream(),
                        KillMatrix.points(SharedRuntimeMatrixChange.values()).stream())
                .filter(killPoint -> POINTS.matcher(killPoint.toString()).find())
                .map(killPoint -> dynamicTest(killPoint.toString(), () -> matrix.kill(killPoint)));
    }
}
