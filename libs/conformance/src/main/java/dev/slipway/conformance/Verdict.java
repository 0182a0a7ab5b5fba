package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;
import dev.slipway.contract.domain.TextEnum;

import java.util.List;
import java.util.stream.Collectors;

/** The result of a scenario. Only a scenario that ran without findings has passed. */
enum Verdict implements TextEnum {
    PASSED,
    FAILED,
    NOT_CLAIMED,
    NOT_RUN;

    String label() {
        return text().replace('_', ' ');
    }

    /** A scenario with its verdict; {@code note} is the reason why it was not run. */
    record ScenarioResult(Scenario scenario, Verdict verdict, List<Finding> findings, String note) {
        ScenarioResult {
            findings = List.copyOf(findings);
        }

        /** Returns the violated clauses, or all clauses of the scenario if none is. */
        String clauses() {
            var broken = findings.stream().map(Finding::clause);
            var tried = scenario.clauses().stream();
            return (findings.isEmpty() ? tried : broken)
                    .map(Clause::id)
                    .distinct()
                    .collect(Collectors.joining(" "));
        }

        String observation() {
            return findings.isEmpty()
                    ? (note.isEmpty() ? scenario.description() : note)
                    : findings.stream()
                            .map(finding -> finding.clause().id() + " " + finding.observation())
                            .collect(Collectors.joining("; "));
        }
    }
}
