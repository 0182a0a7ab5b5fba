package dev.slipway.conformance.seeded;

/** The seeded bugs, each with the scenario that shows it and the clause that it violates. */
public enum SeededBug {
    NONE("", ""),
    NO_DEDUP_OF_COMMANDS("duplicates", "P-11"),
    DEDUP_BY_TYPE_ONLY("distinct-commands", "P-12"),
    REPORT_BEFORE_EFFECT("happy-path", "P-19"),
    RUNNING_WITHOUT_HEALTH("slow", "P-20"),
    LOSES_A_COMMAND_ON_RESTART("crash-while-deploying", "P-33"),
    DOUBLE_LAUNCH_AFTER_CRASH("crash-while-deploying", "P-34"),
    IGNORES_GENERATION("reordering", "P-15"),
    IGNORES_DELETE_WHILE_DEPLOYING("delete-during-create", "P-24"),
    NEVER_ENDS_A_DELETE("happy-path", "P-24"),
    LEAKS_A_PROCESS("happy-path", "P-25"),
    REPORTS_FOR_ANOTHER_INSTANCE("cross-tenant", "P-10"),
    REUSES_A_TOKEN("cross-tenant", "P-7"),
    EXPIRED_TOKEN("slow", "P-8"),
    WRONG_OPERATION_ID("operation", "P-26"),
    SUCCESS_WITHOUT_OUTPUT("operation", "P-28"),
    OUTPUT_AGAINST_ITS_SCHEMA("operation", "P-28"),
    NO_HEARTBEAT("heartbeat", "P-31"),
    PROGRESS_AFTER_THE_END("operation", "P-18"),
    MEMBERS_BEYOND_BOUNDS("members", "P-29"),
    USAGE_COUNTED_TWICE("usage", "P-30"),
    NO_TOKEN_RETRY("token-outage", "P-9"),
    IGNORES_THE_DEADLINE("deadline", "P-16"),
    ENDS_THE_OLD_VERSION_FIRST("failed-upgrade", "P-22"),
    IGNORES_CANCEL("cancel", "P-23"),
    KEEPS_ORPHANS("restart", "P-35");

    private final String scenario;
    private final String clause;

    SeededBug(String scenario, String clause) {
        this.scenario = scenario;
        this.clause = clause;
    }

    public String scenario() {
        return scenario;
    }

    public String clause() {
        return clause;
    }
}
