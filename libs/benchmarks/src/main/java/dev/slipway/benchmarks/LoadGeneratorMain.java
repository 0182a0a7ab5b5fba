package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the load generator as a process: reads one run per line and replies with its result. */
public final class LoadGeneratorMain {
    private LoadGeneratorMain() {}

    public static void main(String[] arguments) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var run = Json.parse(line.getBytes(StandardCharsets.UTF_8));
            BenchOutput.print(Json.text(run(run)));
        }
    }

    private static JsonNode run(JsonNode run) throws IOException {
        var requests = Files.readAllLines(Path.of(run.path("requests").asText())).stream()
                .map(line -> LoadGenerator.Request.parse(line, run.path("port").asInt()))
                .toList();
        try (var load = new LoadGenerator(
                run.path("port").asInt(), run.path("connections").asInt(), requests)) {
            var result = load.run(
                    run.path("count").asInt(),
                    run.path("seconds").asDouble(),
                    run.path("rate").asInt());
            return Json.object()
                    .put("completed", result.completed())
                    .put("failed", result.failed())
                    .put("failure", result.failure())
                    .put("per_second", result.perSecond())
                    .put("p50_us", result.p50Us())
                    .put("p99_us", result.p99Us());
        }
    }
}
