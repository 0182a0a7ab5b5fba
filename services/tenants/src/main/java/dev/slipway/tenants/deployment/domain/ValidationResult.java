package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.deployment.domain.ValidationIssue.Severity;

import java.util.List;

/** The findings in a bundle. It is valid if none of them is an error. */
public record ValidationResult(boolean valid, List<ValidationIssue> issues, int errorCount, int warningCount) {
    static ValidationResult of(List<ValidationIssue> issues) {
        var errors = count(issues, Severity.ERROR);
        return new ValidationResult(errors == 0, List.copyOf(issues), errors, count(issues, Severity.WARNING));
    }

    private static int count(List<ValidationIssue> issues, Severity severity) {
        return (int)
                issues.stream().filter(issue -> issue.severity() == severity).count();
    }
}
