package dev.slipway.conformance;

import dev.slipway.conformance.seeded.Bug;
import dev.slipway.conformance.seeded.Cluster;
import dev.slipway.conformance.seeded.SeededAdapter;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ChildProcess;
import dev.slipway.testkit.Eventually;
import dev.slipway.testkit.TestInfrastructure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** An adapter that somebody starts by hand, in the environment that the kit prints. */
class AttachTest {
    private static final Pattern VARIABLE = Pattern.compile("(?m)^  (SLIPWAY_\\w+)=(.*)$");

    @TempDir
    Path home;

    @Test
    void attached_isJudged_butNotByWhatNeedsACrash() throws Exception {
        var output = new ByteArrayOutputStream();
        var exitCode = CompletableFuture.supplyAsync(() -> run(output));
        var environment = Eventually.eventuallyGet(() -> environment(output.toString(StandardCharsets.UTF_8)));
        try (var cluster = new Cluster();
                var adapter = new ChildProcess(
                        home.resolve("by-hand"),
                        environment,
                        System.getProperty("java.class.path"),
                        SeededAdapter.class.getName(),
                        Bug.NONE.name(),
                        cluster.url())) {
            assertThat(exitCode.get(5, TimeUnit.MINUTES))
                    .as(output.toString(StandardCharsets.UTF_8))
                    .isEqualTo(3);
            assertThat(adapter.isAlive()).isTrue();
        }
        var report = Json.parse(Files.readAllBytes(home.resolve("report.json"))).path("report");
        assertThat(report.path("passed").asBoolean()).isFalse();
        assertThat(report.path("scenarios"))
                .extracting(result -> result.path("verdict").asText())
                .containsExactly("passed", "not run");
    }

    private int run(ByteArrayOutputStream output) {
        try (var in = AttachTest.class.getResourceAsStream("seeded.json")) {
            return ConformanceMain.run(
                    List.of(
                            "run",
                            "--attach",
                            "--kafka",
                            TestInfrastructure.shared().kafkaBootstrap(),
                            "--profile",
                            Files.write(home.resolve("profile.json"), in.readAllBytes())
                                    .toString(),
                            "--only",
                            "happy-path,crash-while-running",
                            "--start",
                            "120",
                            "--settle",
                            "0.2",
                            "--data",
                            home.toString(),
                            "--report",
                            home.resolve("report.json").toString()),
                    new PrintStream(output, true, StandardCharsets.UTF_8));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> environment(String printed) {
        var variables = VARIABLE.matcher(printed)
                .results()
                .collect(Collectors.toMap((MatchResult found) -> found.group(1), found -> found.group(2)));
        assertThat(variables).hasSize(6);
        return variables;
    }
}
