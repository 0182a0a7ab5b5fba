package dev.slipway.conformance;

/** The clauses of docs/adapter-protocol.md, by their stable ids. */
enum Clause {
    TOPICS(1, "Topics"),
    OFFSETS(2, "Offsets move last"),
    MESSAGES(3, "Messages as their schemas say"),
    KEYS(4, "Keys"),
    CORRELATION(5, "Correlation is kept"),
    OWN_TOKEN(6, "The adapter's own token"),
    TASK_TOKEN(7, "One token per task"),
    TOKEN_IN_TIME(8, "Tokens in time"),
    EXCHANGE_AGAIN(9, "The exchange is tried again"),
    OWN_TASKS(10, "Own tasks only"),
    ONCE(11, "Each command once"),
    TOLD_APART(12, "Commands are told apart by id"),
    ACKNOWLEDGED(13, "Acknowledged"),
    ORDER(14, "In order, and side by side"),
    GENERATION(15, "Generation"),
    DEADLINE(16, "Deadline"),
    ENDS(17, "Every command ends"),
    AFTER_THE_END(18, "Nothing after the end"),
    EFFECT_FIRST(19, "First the effect, then the report"),
    HEALTHY(20, "Running means healthy"),
    FAILURE(21, "Failure is said"),
    UPGRADE(22, "Upgrade and rollback keep it running"),
    CANCEL(23, "Cancel"),
    DELETE(24, "Delete at any time"),
    NOTHING_LEFT(25, "Nothing is left"),
    OPERATION_ID(26, "The operation's id"),
    PROGRESS(27, "Progress"),
    OUTPUT(28, "Output as declared"),
    MEMBERS(29, "Members as issued"),
    USAGE(30, "Usage is counted once"),
    HEARTBEAT(31, "Heartbeat"),
    SAME_REPORT(32, "The same report has the same id"),
    NOTHING_LOST(33, "A crash loses nothing"),
    NOTHING_TWICE(34, "A crash repeats nothing"),
    RECONCILE(35, "Reconcile on start"),
    REFUSED(36, "Refused reports");

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

    /** A scenario cannot go on: what it needs next is what the clause asks for. */
    BrokenClauseException broken(String seen) {
        return new BrokenClauseException(new Finding(this, seen));
    }

    /** A clause that was broken, and what was seen. */
    record Finding(Clause clause, String seen) {}

    static final class BrokenClauseException extends RuntimeException {
        private final Finding finding;

        BrokenClauseException(Finding finding) {
            super(finding.clause.id() + ": " + finding.seen);
            this.finding = finding;
        }

        Finding finding() {
            return finding;
        }
    }
}
