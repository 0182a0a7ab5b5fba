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

/** Every point of the matrix, or those whose text matches: {@code -Dslipway.soak.points='CREATE.*KAFKA'}. */
class KillMatrixSoakTest {
    private static final Pattern POINTS = Pattern.compile(System.getProperty("slipway.soak.points", ""));

    @TempDir
    static Path directory;

    private static Stand stand;

    @BeforeAll
    static void start() {
        stand = new Stand(directory);
    }

    @AfterAll
    static void stop() {
        stand.close();
    }

    @TestFactory
    Stream<DynamicTest> everyDeed_endsOnce_whoeverIsKilledAtWhicheverStep() {
        var matrix = new KillMatrix(stand);
        return KillMatrix.points().stream()
                .filter(point -> POINTS.matcher(point.toString()).find())
                .map(point -> dynamicTest(point.toString(), () -> matrix.kill(point)));
    }
}
