package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.seeded.Bug;
import dev.slipway.conformance.seeded.Cluster;
import dev.slipway.conformance.seeded.SeededAdapter;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.TestInfrastructure;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;

/** One run of the kit, from its command line to its report, against the adapter with a bug. */
record SeededRun(int exitCode, JsonNode sealed, String output) {
    /** {@code only} names the scenarios; all if it is empty. */
    static SeededRun of(Bug bug, String only, int patienceSeconds, Path home) throws Exception {
        var profile = home.resolve("profile.json");
        Files.createDirectories(home);
        try (var in = SeededRun.class.getResourceAsStream("seeded.json");
                var cluster = new Cluster()) {
            Files.write(profile, in.readAllBytes());
            var arguments = new ArrayList<>(List.of(
                    "run",
                    "--kafka",
                    TestInfrastructure.shared().kafkaBootstrap(),
                    "--adapter",
                    adapter(bug, cluster),
                    "--effects",
                    cluster.url() + "?instance={app_instance_id}",
                    "--profile",
                    profile.toString(),
                    "--data",
                    home.toString(),
                    "--report",
                    home.resolve("report.json").toString(),
                    "--start",
                    "120",
                    "--patience",
                    String.valueOf(patienceSeconds),
                    "--settle",
                    "0.7",
                    "--token-life",
                    "2"));
            if (!only.isEmpty()) {
                arguments.addAll(List.of("--only", only));
            }
            var output = new ByteArrayOutputStream();
            var exitCode = ConformanceMain.run(arguments, new PrintStream(output, true, StandardCharsets.UTF_8));
            return new SeededRun(
                    exitCode,
                    Json.parse(Files.readAllBytes(home.resolve("report.json"))),
                    output.toString(StandardCharsets.UTF_8));
        }
    }

    /** The clauses that were broken in a scenario. */
    List<String> broken(String scenario) {
        return StreamSupport.stream(sealed.path("report").path("scenarios").spliterator(), false)
                .filter(result ->
                        scenario.isEmpty() || result.path("name").asText().equals(scenario))
                .flatMap(result -> StreamSupport.stream(result.path("findings").spliterator(), false))
                .map(finding -> finding.path("clause").asText())
                .distinct()
                .toList();
    }

    List<String> verdicts() {
        return StreamSupport.stream(sealed.path("report").path("scenarios").spliterator(), false)
                .map(result -> result.path("verdict").asText())
                .distinct()
                .toList();
    }

    private static String adapter(Bug bug, Cluster cluster) {
        return String.join(
                " ",
                ShortLivedJvm.line(64),
                // It has nothing to say, and a tenth of its classes would be for saying it.
                "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
                SeededAdapter.class.getName(),
                bug.name(),
                cluster.url());
    }
}
