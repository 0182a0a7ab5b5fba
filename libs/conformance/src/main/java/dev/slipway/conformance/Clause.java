package dev.slipway.conformance;

/** The clauses of docs/adapter-protocol.md, by their stable ids. */
enum Clause {
    TOPICS(1, "Topics"),
    COMMIT_ORDER(2, "Commit offsets last"),
    MESSAGES(3, "Valid messages"),
    KEYS(4, "Record keys"),
    CORRELATION(5, "Correlation id"),
    ADAPTER_TOKEN(6, "Adapter tokens"),
    TASK_TOKEN(7, "One token per command"),
    TOKEN_VALIDITY(8, "Token validity"),
    TOKEN_RETRY(9, "Retry token requests"),
    TASK_ISOLATION(10, "Report only own tasks"),
    EXACTLY_ONCE(11, "Execute each command once"),
    COMMAND_IDENTITY(12, "Commands are identified by id"),
    ACKNOWLEDGEMENT(13, "Acknowledgement"),
    ORDERING(14, "Ordering"),
    GENERATION(15, "Generation"),
    DEADLINE(16, "Deadline"),
    TERMINAL_REPORT(17, "Terminal report"),
    NO_REPORT_AFTER_END(18, "No reports after the end"),
    EFFECT_BEFORE_REPORT(19, "Effect before report"),
    HEALTHY_WHEN_RUNNING(20, "Running means healthy"),
    FAILURE_REASON(21, "Failure reason"),
    UPGRADE(22, "Upgrade and rollback keep the instance running"),
    CANCEL(23, "Cancel"),
    DELETE(24, "Delete in every state"),
    COMPLETE_CLEANUP(25, "Complete cleanup"),
    OPERATION_ID(26, "Operation id"),
    PROGRESS(27, "Progress"),
    OUTPUT(28, "Declared output"),
    MEMBERS(29, "Issued members"),
    USAGE(30, "Usage is counted once"),
    HEARTBEAT(31, "Heartbeat"),
    STABLE_REPORT_ID(32, "Stable report ids"),
    CRASH_RECOVERY(33, "Crash recovery"),
    NO_DUPLICATE_LAUNCH(34, "No duplicate launch after a crash"),
    RECONCILE(35, "Reconcile on start"),
    REJECTED_REPORTS(36, "Rejected reports"),
    SHARED_RUNTIMES(37, "Shared runtimes");

    private final int number;
    private final String title;

    Clause(int number, String title) {
        this.number = number;
        this.title = title;
    }

    String id() {
        return "P-" + number;
    }

    String title() {
        return title;
    }

    /** Creates the exception that aborts a scenario because of a violation. */
    ClauseViolationException violation(String observation) {
        return new ClauseViolationException(new Finding(this, observation));
    }

    /** A violated clause and the observation that shows it. */
    record Finding(Clause clause, String observation) {}

    static final class ClauseViolationException extends RuntimeException {
        private final Finding finding;

        ClauseViolationException(Finding finding) {
            super(finding.clause.id() + ": " + finding.observation);
            this.finding = finding;
        }

        Finding finding() {
            return finding;
        }
    }
}
