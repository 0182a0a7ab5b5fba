package dev.slipway.conformance;

import dev.slipway.conformance.seeded.SeededBug;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the kit finds a sample of the seeded bugs in their scenarios, and nothing in a correct adapter; soak tests all bugs. */
class SeededBugsTest {
    private static final int TIMEOUT_SECONDS = 30;
    private static final int TIMEOUT_WITHOUT_BUGS_SECONDS = 90;

    @TempDir
    static Path home;

    private static SeededRuns runs;

    @BeforeAll
    static void start() {
        runs = new SeededRuns(home);
        runs.start(SeededBug.NONE, "", TIMEOUT_WITHOUT_BUGS_SECONDS);
        SeededBug.sample().forEach(bug -> runs.start(bug, bug.scenario(), TIMEOUT_SECONDS));
    }

    @AfterAll
    static void stop() {
        runs.close();
    }

    static Set<SeededBug> sample() {
        return SeededBug.sample();
    }

    @ParameterizedTest
    @MethodSource("sample")
    void run_reportsClause_whenAdapterHasBug(SeededBug bug) throws Exception {
        var run = runs.of(bug);
        assertThat(run.violatedClauses(bug.scenario())).as(run.output()).contains(bug.clause());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(ReportSigner.isSignatureValid(run.signed())).isTrue();
    }

    @Test
    void run_passesAllScenarios_whenAdapterHasNoBug() throws Exception {
        var run = runs.of(SeededBug.NONE);
        assertThat(run.verdicts()).as(run.output()).containsExactly("passed");
        assertThat(run.exitCode()).isZero();
        assertThat(run.signed().path("report").path("scenarios"))
                .hasSize(Scenario.all().size());
    }

    /** An adapter that crosses a tenant boundary, with a wrong instance or a wrong token, does not pass. */
    @ParameterizedTest
    @EnumSource(names = {"REPORTS_FOR_ANOTHER_INSTANCE", "REUSES_A_TOKEN"})
    void run_fails_whenAdapterCrossesTenants(SeededBug bug) throws Exception {
        assertThat(passed("cross-tenant", runs.of(SeededBug.NONE))).isTrue();
        assertThat(passed("cross-tenant", runs.of(bug))).isFalse();
        assertThat(runs.of(bug).signed().path("report").path("passed").asBoolean())
                .isFalse();
    }

    private static boolean passed(String scenario, SeededRun run) {
        return StreamSupport.stream(
                        run.signed().path("report").path("scenarios").spliterator(), false)
                .filter(result -> result.path("name").asText().equals(scenario))
                .allMatch(result -> result.path("verdict").asText().equals("passed"));
    }

    @Test
    void verify_fails_whenReportWasChanged() throws Exception {
        assertThat(runs.of(SeededBug.NO_HEARTBEAT)
                        .signed()
                        .path("report")
                        .path("passed")
                        .asBoolean())
                .isFalse();
        var report = home.resolve(SeededBug.NO_HEARTBEAT.name()).resolve("report.json");
        var signer = ReportSigner.fingerprint(Json.parse(Files.readAllBytes(report)));
        assertThat(verify(report, signer)).isZero();
        assertThat(verify(report, signer.replaceAll("[0-9]", "a"))).isEqualTo(1);
        var forged = home.resolve("forged.json");
        Files.writeString(forged, Files.readString(report).replace("\"passed\":false", "\"passed\":true"));
        assertThat(verify(forged, signer)).isEqualTo(1);
    }

    private static int verify(Path report, String fingerprint) throws Exception {
        var discarded = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return ConformanceMain.run(List.of("verify", "--fingerprint", fingerprint, report.toString()), discarded);
    }
}
