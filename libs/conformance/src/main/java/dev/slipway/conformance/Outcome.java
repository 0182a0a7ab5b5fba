package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.Verdict.Result;
import dev.slipway.contract.Json;

import java.time.Instant;
import java.util.List;

/** All the verdicts of one run, as a table and as a document. */
record Outcome(Profile profile, Instant startedAt, Instant endedAt, List<Result> results) {
    private static final int SEEN_MAX = 110;

    Outcome {
        results = List.copyOf(results);
    }

    /** 0 when all that is claimed passed, 1 when something failed, 3 when nothing failed but something was not run. */
    int exitCode() {
        return count(Verdict.FAILED) > 0 ? 1 : count(Verdict.NOT_RUN) > 0 ? 3 : 0;
    }

    long count(Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    ObjectNode json() {
        var json = Json.object()
                .put("protocol", "slipway-adapter/1")
                .put("app", profile.appSlug())
                .put("runtime_backend", profile.backend())
                .put("started_at", startedAt.toString())
                .put("ended_at", endedAt.toString())
                .put("passed", exitCode() == 0);
        var claims = json.putArray("claims");
        profile.claims().forEach(claims::add);
        var scenarios = json.putArray("scenarios");
        for (var result : results) {
            var scenario = scenarios
                    .addObject()
                    .put("name", result.scenario().name())
                    .put("about", result.scenario().about())
                    .put("verdict", result.verdict().plain());
            if (!result.note().isEmpty()) {
                scenario.put("note", result.note());
            }
            var clauses = scenario.putArray("clauses");
            result.scenario().clauses().forEach(clause -> clauses.add(clause.id()));
            var findings = scenario.putArray("findings");
            result.findings().forEach(finding -> findings.addObject()
                    .put("clause", finding.clause().id())
                    .put("title", finding.clause().title())
                    .put("seen", finding.seen()));
        }
        return json;
    }

    String table() {
        var table = new StringBuilder(row("SCENARIO", "VERDICT", "CLAUSES", "SEEN"));
        for (var result : results) {
            var seen = result.seen();
            table.append(row(
                    result.scenario().name(),
                    result.verdict().plain(),
                    result.clauses(),
                    seen.length() > SEEN_MAX ? seen.substring(0, SEEN_MAX - 1) + "…" : seen));
        }
        return table.append(String.format(
                        "%n%d passed, %d failed, %d not claimed, %d not run%n",
                        count(Verdict.PASSED),
                        count(Verdict.FAILED),
                        count(Verdict.NOT_CLAIMED),
                        count(Verdict.NOT_RUN)))
                .toString();
    }

    private static String row(String name, String verdict, String clauses, String seen) {
        return String.format("%-22s %-12s %-24s %s%n", name, verdict, clauses, seen);
    }
}
