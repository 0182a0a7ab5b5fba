package dev.slipway.conformance.seeded;

import java.util.EnumSet;
import java.util.Set;

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
    KEEPS_ORPHANS("restart", "P-35"),
    HEARTBEATS_ONCE("heartbeat", "P-31"),
    WRONG_START_TIME("heartbeat", "P-31"),
    STORES_A_TOKEN("happy-path", "P-7"),
    DROPS_REPORTS_ON_409("token-outage", "P-9"),
    DROPS_REPORTS_ON_503("token-outage", "P-9"),
    REFUSES_UNKNOWN_FIELDS("unknown-records", "P-3"),
    ACCEPTS_UNKNOWN_VERSIONS("unknown-records", "P-3"),
    RELAUNCHES_AT_START("crash-while-running", "P-34"),
    STARTS_AFTER_FAILURE("partial-failure", "P-21"),
    STARTS_AFTER_DELETE("happy-path", "P-25"),
    DELETE_WAITS_FOR_DEPLOY("delete-during-create", "P-14"),
    DELETE_WAITS_FOR_OPERATION("delete-during-operation", "P-24"),
    BLOCKS_OTHER_INSTANCES("independent-instances", "P-14"),
    NEW_CONSUMER_GROUP_PER_START("restart", "P-2"),
    REFUSED_MEMBER_TRANSITION("members", "P-29"),
    OLD_MEMBER_GENERATION("members", "P-29"),
    OVERLAPPING_USAGE_WINDOWS("usage", "P-30"),
    CUMULATIVE_USAGE("usage", "P-30"),
    LEAVES_A_DIRECTORY("happy-path", "P-25"),
    DELETES_SHARED_RUNTIMES("crash-of-shared-runtime", "P-37");

    private final String scenario;
    private final String clause;

    SeededBug(String scenario, String clause) {
        this.scenario = scenario;
        this.clause = clause;
    }

    /** Returns a sample for the short tests: one bug of each kind that the kit finds in another way. */
    public static Set<SeededBug> sample() {
        return EnumSet.of(
                NO_DEDUP_OF_COMMANDS,
                REPORT_BEFORE_EFFECT,
                DOUBLE_LAUNCH_AFTER_CRASH,
                IGNORES_GENERATION,
                NEVER_ENDS_A_DELETE,
                LEAKS_A_PROCESS,
                REPORTS_FOR_ANOTHER_INSTANCE,
                REUSES_A_TOKEN,
                OUTPUT_AGAINST_ITS_SCHEMA,
                NO_HEARTBEAT,
                WRONG_START_TIME,
                STORES_A_TOKEN,
                DROPS_REPORTS_ON_409,
                ACCEPTS_UNKNOWN_VERSIONS,
                STARTS_AFTER_FAILURE,
                BLOCKS_OTHER_INSTANCES,
                NEW_CONSUMER_GROUP_PER_START,
                REFUSED_MEMBER_TRANSITION,
                CUMULATIVE_USAGE,
                LEAVES_A_DIRECTORY,
                DELETES_SHARED_RUNTIMES);
    }

    public String scenario() {
        return scenario;
    }

    public String clause() {
        return clause;
    }
}
