package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Parses the queries of the dashboards, and of the links of a correlation id, with the grammars of their makers. Needs node and npm. */
class DashboardQueriesTest {
    private static final Path DASHBOARDS = Path.of("../../infra/grafana");
    private static final List<String> PACKAGES = List.of(
            "@grafana/lezer-traceql@1.0.0",
            "@grafana/lezer-logql@0.4.2",
            "@prometheus-io/lezer-promql@0.315.0",
            "@lezer/common@1",
            "@lezer/highlight@1",
            "@lezer/lr@1");

    /** Grafana replaces variables before it sends a query, so the script does. */
    private static final String SCRIPT = """
            import { readFileSync } from 'node:fs';
            import { parser as traceql } from '@grafana/lezer-traceql';
            import { parser as logql } from '@grafana/lezer-logql';
            import { parser as promql } from '@prometheus-io/lezer-promql';
            const parsers = { tempo: traceql, loki: logql, prometheus: promql };
            const wrong = [];
            const seen = { tempo: 0, loki: 0, prometheus: 0 };
            for (const { type, query } of JSON.parse(readFileSync('queries.json', 'utf8'))) {
              const text = query.replace(/\\$__(rate_interval|auto|interval)/g, '5m').replace(/\\$\\{?\\w+\\}?/g, 'value');
              seen[type]++;
              let errors = 0;
              parsers[type].parse(text).iterate({ enter: node => { if (node.type.isError) errors++; } });
              if (errors > 0) wrong.push(type + ': ' + query);
            }
            for (const [type, text] of [['tempo', '{ span.correlation_id = '], ['loki', '{a="b"} |= '], ['prometheus', 'sum(rate(x[5m])']]) {
              let errors = 0;
              parsers[type].parse(text).iterate({ enter: node => { if (node.type.isError) errors++; } });
              if (errors === 0) wrong.push('not rejected by ' + type + ': ' + text);
            }
            console.log(JSON.stringify(seen) + ' wrong: ' + wrong.join('; '));
            """;

    @TempDir
    private Path directory;

    @Test
    void queries_areValid() throws IOException, InterruptedException {
        var queries = Json.array();
        try (var files = Files.list(DASHBOARDS)) {
            for (var file : files.sorted().toList()) {
                addQueries(queries, Json.parse(Files.readAllBytes(file)));
            }
        }
        try (var platform = new PlatformUnderTest()) {
            var links = correlationLinks(platform);
            queries.addObject().put("type", "tempo").set("query", links.path("traceql"));
            queries.addObject().put("type", "loki").set("query", links.path("logql"));
        }
        Files.write(directory.resolve("queries.json"), Json.bytes(queries));
        Files.writeString(directory.resolve("parse.mjs"), SCRIPT);
        var install = new ArrayList<>(List.of(
                "npm", "install", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", directory.toString()));
        install.addAll(PACKAGES);

        run(install);

        assertThat(run(List.of("node", "parse.mjs")).strip())
                .matches("\\{\"tempo\":[1-9].*\"loki\":[1-9].*\"prometheus\":[1-9].*")
                .endsWith("wrong:");
    }

    private static JsonNode correlationLinks(PlatformUnderTest platform) {
        var launched = platform.launch("project_owner", "linked").send().expect(202);
        return eventuallyGet(() -> platform.as("project_owner")
                .call("getCorrelation")
                .path("correlation_id", launched.header("X-Correlation-ID"))
                .send()
                .expect(200)
                .body()
                .path("links"));
    }

    private static void addQueries(ArrayNode queries, JsonNode dashboard) {
        for (var panel : dashboard.path("panels")) {
            for (var target : panel.path("targets")) {
                var query = target.has("expr") ? target.path("expr") : target.path("query");
                queries.addObject()
                        .put("type", target.at("/datasource/type").asText())
                        .set("query", query);
            }
        }
    }

    @CanIgnoreReturnValue
    private String run(List<String> command) throws IOException, InterruptedException {
        var output = directory.resolve("output.txt");
        var process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s", Files.readString(output)).isZero();
        return Files.readString(output);
    }
}
