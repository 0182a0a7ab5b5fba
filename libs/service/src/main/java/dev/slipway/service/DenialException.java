package dev.slipway.service;

import dev.slipway.authz.Principal;
import dev.slipway.contract.Problem;
import dev.slipway.service.AuditTrail.AuditEntry;

/**
 * A caller is denied something, which belongs in the audit trail. {@link Dispatcher} records the denial in a transaction of its own, because
 * the transaction of the handler is rolled back, and answers with the problem.
 */
public final class DenialException extends RuntimeException {
    private final transient Principal principal;
    private final transient AuditEntry entry;
    private final transient Problem problem;

    public DenialException(Principal principal, AuditEntry entry, Problem problem) {
        super(problem.code().code() + ": " + problem.message(), null, false, false);
        this.principal = principal;
        this.entry = entry;
        this.problem = problem;
    }

    Principal principal() {
        return principal;
    }

    AuditEntry entry() {
        return entry;
    }

    Problem problem() {
        return problem;
    }
}
