package dev.slipway.conformance;

import dev.slipway.conformance.seeded.Bug;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The kit is worth what it finds: each bug by the scenario that can show it, and nothing where there is none. */
class SeededBugsTest {
    private static final int PATIENCE_SECONDS = 30;
    private static final int PATIENCE_WITHOUT_BUGS_SECONDS = 90;
    /** Most of the time the runs wait. */
    private static final ExecutorService POOL = Executors.newFixedThreadPool(6);

    private static final Map<Bug, Future<SeededRun>> RUNS = new EnumMap<>(Bug.class);

    @TempDir
    static Path home;

    @BeforeAll
    static void start() {
        for (var bug : Bug.values()) {
            var patience = bug == Bug.NONE ? PATIENCE_WITHOUT_BUGS_SECONDS : PATIENCE_SECONDS;
            RUNS.put(bug, POOL.submit(() -> SeededRun.of(bug, bug.scenario(), patience, home.resolve(bug.name()))));
        }
    }

    @AfterAll
    static void stop() {
        POOL.shutdownNow();
    }

    private static SeededRun run(Bug bug) throws Exception {
        return RUNS.get(bug).get(5, TimeUnit.MINUTES);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void bug_isFound_andItsClauseIsNamed(Bug bug) throws Exception {
        var run = run(bug);
        assertThat(run.broken(bug.scenario())).as(run.output()).contains(bug.clause());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Seal.isIntact(run.sealed())).isTrue();
    }

    @Test
    void adapterWithoutBugs_passesEverything() throws Exception {
        var run = run(Bug.NONE);
        assertThat(run.verdicts()).as(run.output()).containsExactly("passed");
        assertThat(run.exitCode()).isZero();
        assertThat(run.sealed().path("report").path("scenarios"))
                .hasSize(Scenario.all().size());
    }

    @Test
    void report_isRefused_whenItWasChanged() throws Exception {
        assertThat(run(Bug.NO_HEARTBEAT).sealed().path("report").path("passed").asBoolean())
                .isFalse();
        var report = home.resolve(Bug.NO_HEARTBEAT.name()).resolve("report.json");
        assertThat(verify(report)).isZero();
        var forged = home.resolve("forged.json");
        Files.writeString(forged, Files.readString(report).replace("\"passed\":false", "\"passed\":true"));
        assertThat(verify(forged)).isEqualTo(1);
    }

    private static int verify(Path report) throws Exception {
        var nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return ConformanceMain.run(List.of("verify", report.toString()), nowhere);
    }
}
