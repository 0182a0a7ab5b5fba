package dev.slipway.conformance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.conformance.Verdict.ScenarioResult;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/**
 * The results of one run, as a table and as a JSON document.
 *
 * @param complete whether all scenarios were selected; an adapter passes a complete run only
 */
record ConformanceReport(
        ConformanceProfile profile,
        Instant startedAt,
        Instant endedAt,
        boolean complete,
        List<ScenarioResult> results) {
    static final String PROTOCOL = "slipway-adapter/1";
    private static final int OBSERVATION_MAX = 110;

    ConformanceReport {
        results = List.copyOf(results);
    }

    /** Returns 0 if all claimed scenarios passed, 1 if one failed, 3 if none failed but one was not selected or not run. */
    int exitCode() {
        return count(Verdict.FAILED) > 0 ? 1 : count(Verdict.NOT_RUN) > 0 || !complete ? 3 : 0;
    }

    long count(Verdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    ObjectNode toJson() {
        return Json.toObject(new Document(
                PROTOCOL,
                profile.appSlug(),
                profile.backend(),
                startedAt,
                endedAt,
                exitCode() == 0,
                complete,
                List.copyOf(profile.claims()),
                results.stream().map(ScenarioDocument::of).toList()));
    }

    private record Document(
            String protocol,
            String app,
            String runtimeBackend,
            Instant startedAt,
            Instant endedAt,
            boolean passed,
            boolean complete,
            List<String> claims,
            List<ScenarioDocument> scenarios) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record ScenarioDocument(
            String name,
            String about,
            String verdict,
            @Nullable String note,
            List<String> clauses,
            List<FindingDocument> findings) {
        static ScenarioDocument of(ScenarioResult result) {
            return new ScenarioDocument(
                    result.scenario().name(),
                    result.scenario().description(),
                    result.verdict().label(),
                    result.note().isEmpty() ? null : result.note(),
                    result.scenario().clauses().stream().map(Clause::id).toList(),
                    result.findings().stream().map(FindingDocument::of).toList());
        }
    }

    private record FindingDocument(String clause, String title, String seen) {
        static FindingDocument of(Finding finding) {
            return new FindingDocument(finding.clause().id(), finding.clause().title(), finding.observation());
        }
    }

    String table() {
        var table = new StringBuilder(row("SCENARIO", "VERDICT", "CLAUSES", "OBSERVATION"));
        for (var result : results) {
            var observation = result.observation();
            table.append(row(
                    result.scenario().name(),
                    result.verdict().label(),
                    result.clauses(),
                    observation.length() > OBSERVATION_MAX
                            ? observation.substring(0, OBSERVATION_MAX - 1) + "…"
                            : observation));
        }
        return table.append(String.format(
                        "%n%d passed, %d failed, %d not claimed, %d not run%n",
                        count(Verdict.PASSED),
                        count(Verdict.FAILED),
                        count(Verdict.NOT_CLAIMED),
                        count(Verdict.NOT_RUN)))
                .append(complete ? "" : String.format("Only selected scenarios ran, so the adapter has not passed.%n"))
                .toString();
    }

    private static String row(String name, String verdict, String clauses, String observation) {
        return String.format("%-22s %-12s %-24s %s%n", name, verdict, clauses, observation);
    }
}
