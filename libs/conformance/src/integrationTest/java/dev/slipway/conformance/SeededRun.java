package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.Scenario.Requirement;
import dev.slipway.conformance.seeded.FakeCluster;
import dev.slipway.conformance.seeded.SeededAdapter;
import dev.slipway.conformance.seeded.SeededBug;
import dev.slipway.contract.Json;
import dev.slipway.testkit.Eventually;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.TestInfrastructure;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** One run of the kit, from its command line to its report, on the adapter with a seeded bug. */
record SeededRun(int exitCode, JsonNode signed, String output) {
    private static final Pattern VARIABLE = Pattern.compile("(?m)^  (SLIPWAY_\\w+)=(.*)$");
    private static final int TIMEOUT_MINUTES = 30;

    /**
     * Runs the scenarios named in {@code only}, or all if it is empty. The adapter runs in its own process if the kit has to kill it, and
     * in this process otherwise, because starting a JVM takes most of the processor time of a run.
     */
    static SeededRun of(SeededBug bug, String only, int patienceSeconds, Path home) throws Exception {
        try (var cluster = new FakeCluster()) {
            var arguments = new ArrayList<>(List.of(
                    "--effects",
                    cluster.url() + "?instance={app_instance_id}",
                    "--patience",
                    String.valueOf(patienceSeconds),
                    "--settle",
                    "0.7",
                    "--token-life",
                    "2"));
            if (!only.isEmpty()) {
                arguments.addAll(List.of("--only", only));
            }
            if (!needsRestart(only)) {
                return attached(bug, cluster, home, arguments);
            }
            arguments.addAll(List.of("--adapter", adapter(bug, cluster)));
            var output = new ByteArrayOutputStream();
            return result(run(home, arguments, output), home, output);
        }
    }

    /** Runs the kit with {@code --attach} on an adapter in this process. */
    private static SeededRun attached(SeededBug bug, FakeCluster cluster, Path home, List<String> options)
            throws Exception {
        var attached = attach(home, options);
        try (var adapter = SeededAdapter.start(bug, cluster.url(), attached.environment)) {
            return attached.await();
        }
    }

    /** A run that waits for an adapter with this environment. */
    record AttachedRun(Map<String, String> environment, CompletableFuture<SeededRun> result) {
        SeededRun await() throws Exception {
            return result.get(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        }
    }

    /** Runs the kit with {@code --attach}; the caller starts the adapter with the environment that the kit prints. */
    static AttachedRun attach(Path home, List<String> options) {
        var arguments = new ArrayList<>(options);
        arguments.add("--attach");
        var output = new ByteArrayOutputStream();
        var result = CompletableFuture.supplyAsync(
                () -> result(run(home, arguments, output), home, output), task -> new Thread(task, "kit").start());
        return new AttachedRun(
                Eventually.eventuallyGet(() -> environment(output.toString(StandardCharsets.UTF_8))), result);
    }

    private static boolean needsRestart(String only) {
        return Scenario.all().stream()
                .filter(scenario -> only.isEmpty() || scenario.name().equals(only))
                .anyMatch(scenario -> scenario.requirements().contains(Requirement.RESTART));
    }

    private static int run(Path home, List<String> options, ByteArrayOutputStream output) {
        try (var in = SeededRun.class.getResourceAsStream("seeded.json")) {
            Files.createDirectories(home);
            var profile = Files.write(home.resolve("profile.json"), in.readAllBytes());
            var arguments = new ArrayList<>(List.of(
                    "run",
                    "--kafka",
                    TestInfrastructure.shared().kafkaBootstrap(),
                    "--profile",
                    profile.toString(),
                    "--data",
                    home.toString(),
                    "--report",
                    home.resolve("report.json").toString(),
                    "--start",
                    "120"));
            arguments.addAll(options);
            return ConformanceMain.run(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SeededRun result(int exitCode, Path home, ByteArrayOutputStream output) {
        try {
            return new SeededRun(
                    exitCode,
                    Json.parse(Files.readAllBytes(home.resolve("report.json"))),
                    output.toString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(output.toString(StandardCharsets.UTF_8), e);
        }
    }

    private static Map<String, String> environment(String printed) {
        var variables = VARIABLE.matcher(printed)
                .results()
                .collect(Collectors.toMap((MatchResult found) -> found.group(1), found -> found.group(2)));
        assertThat(variables).hasSize(6);
        return variables;
    }

    /** Returns the clauses that were violated in a scenario. */
    List<String> violatedClauses(String scenario) {
        return StreamSupport.stream(signed.path("report").path("scenarios").spliterator(), false)
                .filter(result ->
                        scenario.isEmpty() || result.path("name").asText().equals(scenario))
                .flatMap(result -> StreamSupport.stream(result.path("findings").spliterator(), false))
                .map(finding -> finding.path("clause").asText())
                .distinct()
                .toList();
    }

    List<String> verdicts() {
        return StreamSupport.stream(signed.path("report").path("scenarios").spliterator(), false)
                .map(result -> result.path("verdict").asText())
                .distinct()
                .toList();
    }

    private static String adapter(SeededBug bug, FakeCluster cluster) {
        return String.join(
                " ",
                ShortLivedJvm.line(64),
                // Logging is not needed and would load a tenth of the classes.
                "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
                SeededAdapter.class.getName(),
                bug.name(),
                cluster.url());
    }
}
