package dev.slipway.tenants.deployment.domain;

/**
 * A finding in a bundle.
 *
 * @param path a JSON pointer into the bundle
 * @param code a stable identifier of the rule
 */
public record ValidationIssue(Severity severity, String path, String message, String code) {
    /** Only errors prevent a deployment. */
    public enum Severity {
        ERROR,
        WARNING,
        INFO
    }

    static ValidationIssue error(String path, String code, String message) {
        return new ValidationIssue(Severity.ERROR, path, message, code);
    }

    static ValidationIssue warning(String path, String code, String message) {
        return new ValidationIssue(Severity.WARNING, path, message, code);
    }

    static ValidationIssue info(String path, String code, String message) {
        return new ValidationIssue(Severity.INFO, path, message, code);
    }
}
