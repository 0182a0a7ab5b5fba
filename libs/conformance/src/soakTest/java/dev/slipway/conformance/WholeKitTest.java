package dev.slipway.conformance;

import dev.slipway.conformance.seeded.Bug;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.EnumSet;

import static org.assertj.core.api.Assertions.assertThat;

/** All scenarios against each bug: the kit gets to its end whatever is wrong, and says what it is. */
class WholeKitTest {
    private static final int PATIENCE_SECONDS = 20;

    @TempDir
    static Path home;

    private static SeededRuns runs;

    @BeforeAll
    static void start() {
        runs = new SeededRuns(home);
        EnumSet.complementOf(EnumSet.of(Bug.NONE)).forEach(bug -> runs.start(bug, "", PATIENCE_SECONDS));
    }

    @AfterAll
    static void stop() {
        runs.close();
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void bug_isFound_byTheWholeKit(Bug bug) throws Exception {
        var run = runs.of(bug);
        assertThat(run.broken("")).as(run.output()).contains(bug.clause());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.sealed().path("report").path("scenarios"))
                .hasSize(Scenario.all().size());
    }
}
