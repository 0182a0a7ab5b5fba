package dev.slipway.conformance;

import dev.slipway.conformance.seeded.SeededBug;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.EnumSet;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the kit finds every seeded bug in its own scenario. */
class EveryBugTest {
    private static final int TIMEOUT_SECONDS = 45;

    @TempDir
    static Path home;

    private static SeededRuns runs;

    @BeforeAll
    static void start() {
        runs = new SeededRuns(home);
        EnumSet.complementOf(EnumSet.of(SeededBug.NONE))
                .forEach(bug -> runs.start(bug, bug.scenario(), TIMEOUT_SECONDS));
    }

    @AfterAll
    static void stop() {
        runs.close();
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void run_reportsClause_inItsScenario(SeededBug bug) throws Exception {
        var run = runs.of(bug);
        assertThat(run.violatedClauses(bug.scenario())).as(run.output()).contains(bug.clause());
        assertThat(run.exitCode()).isEqualTo(1);
    }
}
