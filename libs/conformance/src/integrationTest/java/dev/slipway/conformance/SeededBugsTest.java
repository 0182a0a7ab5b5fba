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
import java.util.List;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** The kit is worth what it finds: each bug by the scenario that can show it, and nothing where there is none. */
class SeededBugsTest {
    private static final int PATIENCE_SECONDS = 30;
    private static final int PATIENCE_WITHOUT_BUGS_SECONDS = 90;

    @TempDir
    static Path home;

    private static SeededRuns runs;

    @BeforeAll
    static void start() {
        runs = new SeededRuns(home);
        for (var bug : Bug.values()) {
            var patience = bug == Bug.NONE ? PATIENCE_WITHOUT_BUGS_SECONDS : PATIENCE_SECONDS;
            runs.start(bug, bug.scenario(), patience);
        }
    }

    @AfterAll
    static void stop() {
        runs.close();
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void bug_isFound_andItsClauseIsNamed(Bug bug) throws Exception {
        var run = runs.of(bug);
        assertThat(run.broken(bug.scenario())).as(run.output()).contains(bug.clause());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Seal.isIntact(run.sealed())).isTrue();
    }

    @Test
    void adapterWithoutBugs_passesEverything() throws Exception {
        var run = runs.of(Bug.NONE);
        assertThat(run.verdicts()).as(run.output()).containsExactly("passed");
        assertThat(run.exitCode()).isZero();
        assertThat(run.sealed().path("report").path("scenarios"))
                .hasSize(Scenario.all().size());
    }

    /** No adapter is passed that reaches over the boundary of a project or a tenant: with the wrong instance, or with the wrong token. */
    @ParameterizedTest
    @EnumSource(names = {"REPORTS_FOR_ANOTHER_INSTANCE", "REUSES_A_TOKEN"})
    void adapterThatCrossesTenants_isNotPassed(Bug bug) throws Exception {
        assertThat(passed("cross-tenant", runs.of(Bug.NONE))).isTrue();
        assertThat(passed("cross-tenant", runs.of(bug))).isFalse();
        assertThat(runs.of(bug).sealed().path("report").path("passed").asBoolean())
                .isFalse();
    }

    private static boolean passed(String scenario, SeededRun run) {
        return StreamSupport.stream(
                        run.sealed().path("report").path("scenarios").spliterator(), false)
                .filter(result -> result.path("name").asText().equals(scenario))
                .allMatch(result -> result.path("verdict").asText().equals("passed"));
    }

    @Test
    void report_isRefused_whenItWasChanged() throws Exception {
        assertThat(runs.of(Bug.NO_HEARTBEAT)
                        .sealed()
                        .path("report")
                        .path("passed")
                        .asBoolean())
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
