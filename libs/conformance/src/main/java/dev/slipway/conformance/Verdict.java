package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What became of a scenario. Only what was run and found without fault has passed. */
enum Verdict {
    PASSED,
    FAILED,
    NOT_CLAIMED,
    NOT_RUN;

    String plain() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** A scenario with its verdict; {@code note} says why it was not run. */
    record Result(Scenario scenario, Verdict verdict, List<Finding> findings, String note) {
        Result {
            findings = List.copyOf(findings);
        }

        /** The clauses that were broken, or else those that were tried. */
        String clauses() {
            var broken = findings.stream().map(Finding::clause);
            var tried = scenario.clauses().stream();
            return (findings.isEmpty() ? tried : broken)
                    .map(Clause::id)
                    .distinct()
                    .collect(Collectors.joining(" "));
        }

        String seen() {
            return findings.isEmpty()
                    ? (note.isEmpty() ? scenario.about() : note)
                    : findings.stream()
                            .map(finding -> finding.clause().id() + " " + finding.seen())
                            .collect(Collectors.joining("; "));
        }
    }
}
